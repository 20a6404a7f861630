import { skillExecutorContract } from './skill-executor.ts';
import { memoryWorld } from './support/memory-world.ts';
import { processWorld } from './support/process-world.ts';
import { commands } from './support/wasm/commands.ts';
import { beyondPlugins, plugins } from './support/wasm/plugins.ts';
import { python } from './support/wasm/python.ts';
import { beyondScripts, scripts } from './support/wasm/scripts.ts';
import { wasmWorld } from './support/wasm/wasm-world.ts';

skillExecutorContract('in memory', memoryWorld);
skillExecutorContract('for processes', processWorld);
skillExecutorContract('for WASM, with plug-ins', () => wasmWorld(plugins), beyondPlugins);
skillExecutorContract('for WASM, with WASI commands', () => wasmWorld(commands));
skillExecutorContract('for WASM, with scripts', () => wasmWorld(scripts), beyondScripts);
skillExecutorContract('for WASM, with Python', () => wasmWorld(python));
