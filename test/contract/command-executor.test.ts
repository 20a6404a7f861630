// Threat model: T171

import { commandContract } from './command-executor.ts';
import { processCommands, pythonCommands, wasiCommands } from './support/command-world.ts';

commandContract('in Python', processCommands);
commandContract('compiled for WASI', wasiCommands);
commandContract('in Python in WebAssembly', pythonCommands);
