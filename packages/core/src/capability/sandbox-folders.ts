/** The most that the private folders of a sandbox can hold, in bytes. They are in memory, and all count towards its limit. */
export interface SandboxFolders {
  /** `/tmp`. */
  temporary: number;
  workspace: number;
  /** `/dev/shm`. */
  shared: number;
}

/** The size that container engines give. */
const sharedMax = 64 * 1024 * 1024;

/** A tmpfs of size 0 has no limit. */
const folderMin = 4096;

/** The sizes for a run with this limit. A full `/tmp` leaves half of the limit to the programs. */
export function sandboxFolders(memoryBytes: number): SandboxFolders {
  const half = Math.max(folderMin, Math.floor(memoryBytes / 2));
  return { temporary: half, workspace: Math.max(folderMin, memoryBytes), shared: Math.min(half, sharedMax) };
}
