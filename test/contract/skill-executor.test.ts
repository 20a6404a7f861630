import { skillExecutorContract } from './skill-executor.ts';
import { commands } from './support/commands.ts';
import { processWorld, wasmWorld } from './support/executor-worlds.ts';
import { beyondPlugins, plugins } from './support/plugins.ts';
import { python } from './support/python.ts';
import { beyondScripts, scripts } from './support/scripts.ts';

skillExecutorContract('for processes', () => processWorld(python));
skillExecutorContract('for WASM, with plug-ins', () => wasmWorld(plugins), beyondPlugins);
skillExecutorContract('for WASM, with WASI commands', () => wasmWorld(commands));
skillExecutorContract('for WASM, with scripts', () => wasmWorld(scripts), beyondScripts);
skillExecutorContract('for WASM, with Python', () => wasmWorld(python));
