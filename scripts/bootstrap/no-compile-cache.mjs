// Turns off the compile cache of Node for this process and every program that it starts; imported first by scripts that start
// some. Otherwise npm, pnpm, tsc and others run compiled code that they find in `node-compile-cache` in the temporary folder.
// They check neither its owner nor its content, so another user of this machine could plant code there.

/** Whether the user has turned it off, for `ambit`: its cache is in a folder of its own, which it checks. */
export const disabledByUser = process.env['NODE_DISABLE_COMPILE_CACHE'];

delete process.env['NODE_COMPILE_CACHE'];
process.env['NODE_DISABLE_COMPILE_CACHE'] = '1';
