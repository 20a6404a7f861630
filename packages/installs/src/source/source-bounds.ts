/** The largest source that is read: more than any published collection of skills. */
export const sourceBounds = { entries: 100_000, bytes: 1024 * 1024 * 1024, skills: 2000 };

/** The largest skill: 512 files and 16 MiB, like the MCP skills extension (SEP-2640). */
export const skillBounds = {
  files: 512,
  bytes: 16 * 1024 * 1024,
  depth: 32,
  pathBytes: 1024,
  nameBytes: 255,
};

/** Longer targets of links are not paths. */
export const targetBytesMax = 4096;

/**
 * Bounds for following the links of a source: `followed` links for one file, and for all links together the `bytes` that
 * are copied, and `steps`, each a part of a path or an entry of a folder.
 */
export const linkBounds = { followed: 16, bytes: 256 * 1024 * 1024, steps: 1_000_000 };

/** The bounds of a server's list, and of each part of it. */
export const servedBounds = {
  /** An index or a manifest. */
  listBytes: 4 * 1024 * 1024,
  /** Skills, or manifests. */
  items: 1000,
  /** The file or the archive of one skill. */
  artifactBytes: 64 * 1024 * 1024,
};

/** The largest signature file. A Sigstore bundle has about 10 kB. */
export const signatureBytesMax = 64 * 1024;
