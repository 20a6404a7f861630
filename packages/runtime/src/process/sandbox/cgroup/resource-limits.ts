/** Upper bounds that the kernel keeps for everything in one run together. */
interface LimitValues {
  memoryBytes: number;
  /** Processes and threads. */
  processes: number;
}

/** What a run has used so far; `null` where the kernel does not say. */
interface CgroupUsage {
  cpuMs: number | null;
  memoryPeakBytes: number | null;
  /** Whether the kernel has killed anything in the run for want of memory. */
  outOfMemory: boolean;
}

/** The place of one run in the kernel's accounts. */
export interface Cgroup {
  /**
   * Open files: a process that writes 0 into each is in the cell from then on, with all that it starts. It has to do so
   * itself, as the first thing that it does: to move another one can take the kernel milliseconds, in which it waits for a
   * grace period of its own. The caller closes them once the process has them.
   */
  openEntryFiles(): number[];
  /** Puts the bounds into force for what is in the cell. `exceeded` when that is beyond its memory already. */
  bind(): 'bound' | 'exceeded';
  /** Counts what is used from here on. */
  restart(): void;
  cpuMs(): number | null;
  usage(): CgroupUsage;
  /** Ends whatever is still in it, and takes it away. */
  close(): Promise<void>;
}

/** A way of holding runs to their bounds as a whole, however many processes they start. */
export interface ResourceLimits {
  readonly name: 'cgroup v1' | 'cgroup v2';
  open(bounds: LimitValues): Cgroup;
  /** Takes away what `open` was built on. */
  close(): void;
}
