import { skillExecutorContract } from './skill-executor.ts';
import { memoryWorld } from './support/memory-world.ts';
import { processWorld } from './support/process-world.ts';
import { wasmWorld } from './support/wasm-world.ts';

skillExecutorContract('in memory', memoryWorld);
skillExecutorContract('for processes', processWorld);
skillExecutorContract('for WASM', wasmWorld);
