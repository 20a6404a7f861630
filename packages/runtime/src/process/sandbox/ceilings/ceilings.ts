/** Upper bounds that the kernel keeps for everything in one run together. */
interface CeilingBounds {
  memoryBytes: number;
  /** Processes and threads. */
  processes: number;
}

/** What a run has used so far; `null` where the kernel does not say. */
interface CellUsage {
  cpuMs: number | null;
  memoryPeakBytes: number | null;
  /** Whether the kernel has killed anything in the run for want of memory. */
  outOfMemory: boolean;
}

/** The place of one run in the kernel's accounts. */
export interface Cell {
  /**
   * Starts a process by `start`, which has to start it before it returns. Where the kernel can, the process is born in
   * the cell: to move one there later can take it milliseconds, in which it waits for a grace period of its own.
   */
  start<T>(start: () => T): T;
  /**
   * Puts the bounds into force for a process that `start` has started, and for all that it starts from then on.
   * `exceeded` when the run is beyond its memory already.
   */
  bind(pid: number): Promise<'bound' | 'exceeded'>;
  usage(): CellUsage;
  /** Ends whatever is still in it, and takes it away. */
  close(): Promise<void>;
}

/** A way of holding runs to their bounds as a whole, however many processes they start. */
export interface Ceilings {
  readonly name: 'cgroup v1' | 'cgroup v2';
  open(bounds: CeilingBounds): Cell;
  /** Takes away what `open` was built on. */
  close(): void;
}
