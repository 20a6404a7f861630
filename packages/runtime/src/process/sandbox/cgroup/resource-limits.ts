/** Limits that the kernel enforces for all processes of a run together. */
interface LimitValues {
  memoryBytes: number;
  /** Processes and threads. */
  processes: number;
}

/** Usage of a run so far; `null` if the kernel does not report it. */
interface CgroupUsage {
  cpuMs: number | null;
  memoryPeakBytes: number | null;
  /** Whether the kernel has killed a process of the run because it ran out of memory. */
  outOfMemory: boolean;
}

/** The cgroup of one run. */
export interface Cgroup {
  /**
   * Open files: a process that writes 0 into each joins the cgroup with everything it starts. It
   * must do so itself, as its first action: moving another process can take the kernel
   * milliseconds, in which it waits for a grace period. The caller closes the files once the
   * process has them.
   */
  openEntryFiles(): number[];
  /** Puts the limits into force. Returns `exceeded` if the cgroup already uses more memory. */
  bind(): 'bound' | 'exceeded';
  /** Resets the usage counters. */
  restart(): void;
  cpuMs(): number | null;
  usage(): CgroupUsage;
  /** Ends the remaining processes and removes the cgroup. */
  close(): Promise<void>;
}

/** Limits each run as a whole, however many processes it starts. */
export interface ResourceLimits {
  readonly name: 'cgroup v1' | 'cgroup v2';
  open(bounds: LimitValues): Cgroup;
  /** Limits the memory of all runs together. Returns whether the kernel enforces it from now on. */
  limitAll(memoryBytes: number): boolean;
  /** Removes the folders that `open` uses. */
  close(): void;
}
