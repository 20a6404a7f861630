/** Where programs of the host are looked for. Not the daemon's own PATH, which anybody may have put anything into. */
export const searchPath = '/usr/local/bin:/usr/bin:/bin';
