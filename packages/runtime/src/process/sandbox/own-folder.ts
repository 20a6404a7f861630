/** The folder inside that is Ambit's own: what a sandbox needs of it, and nothing of the host. */
export const ownFolder = '/ambit';
