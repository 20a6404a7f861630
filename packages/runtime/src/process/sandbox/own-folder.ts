/** Ambit's folder inside a sandbox. It contains nothing of the host. */
export const ownFolder = '/ambit';
