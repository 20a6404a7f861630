import { commandContract } from './command-executor.ts';
import { processCommands, wasiCommands } from './support/command-world.ts';

commandContract('in Python', processCommands);
commandContract('compiled for WASI', wasiCommands);
