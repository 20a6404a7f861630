/**
 * The folders in which host programs are looked up. Not the daemon's own PATH, which may contain
 * anything.
 */
export const searchPath = '/usr/local/bin:/usr/bin:/bin';
