import { readFile } from 'node:fs/promises';
import type { Grant, SkillExecutor } from '../../../packages/core/src/execute.ts';
import type { RequestedLimits } from '../../../packages/core/src/policy.ts';
import { processExecutor, wasmExecutor } from '../../../packages/runtime/src/index.ts';
import { noState } from '../../../packages/runtime/src/testing/no-state.ts';
import { sandboxed } from './sandboxed.ts';

/**
 * An implementation of `SkillExecutor`, and a command for it that does what its first argument
 * names.
 */
export interface CommandWorld {
  executor: SkillExecutor;
  /** The command with a workspace, granted for one or more calls. */
  command(limits?: RequestedLimits): Promise<Grant>;
  close(): Promise<void>;
}

/** A Python script as a program. */
export async function processCommands(): Promise<CommandWorld> {
  const { executor, skill, close } = await sandboxed((sandbox) =>
    processExecutor({ sandbox, environment: {} }),
  );
  const run = { runtime: 'process', protocol: 'command', entry: 'scripts/run.py' };
  const capabilities = { exec: ['python3'], filesystem: { write: ['workspace'] } };
  return {
    executor,
    command: (limits = {}) => skill({ ...run, capabilities, limits }, { 'scripts/run.py': script }),
    close,
  };
}

const fixtures = new URL('../../../packages/runtime/src/wasm/testing/fixtures/', import.meta.url);

/** A C program compiled for WASI. */
export async function wasiCommands(): Promise<CommandWorld> {
  return wasmCommands('command.wasm', await readFile(new URL('command.wasm', fixtures)));
}

/** The same Python script in WebAssembly. */
export function pythonCommands(): Promise<CommandWorld> {
  return wasmCommands('scripts/run.py', script);
}

async function wasmCommands(entry: string, content: string | Uint8Array): Promise<CommandWorld> {
  const { executor, skill, close } = await sandboxed((sandbox) => wasmExecutor({ sandbox, state: noState }));
  const run = { runtime: 'wasm', protocol: 'command', entry };
  const capabilities = { filesystem: { write: ['workspace'] } };
  return {
    executor,
    command: (limits = {}) => skill({ ...run, capabilities, limits }, { [entry]: content }),
    close,
  };
}

/** The counterpart of `command.c` in the fixtures of the WASM executor. */
const script = `import os, sys, time

def say(to, text):
    os.write(to, text.encode())

def put(path, mode, text):
    with open(path, mode) as file:
        file.write(text)

what, *rest = sys.argv[1:]
if what == "echo":
    for argument in rest:
        say(1, argument + "\\n")
    say(1, sys.stdin.read())
    say(2, "done")
    sys.exit(int(rest[0]))
elif what == "stay":
    say(1, "so far ü")
    say(2, "and this")
    time.sleep(1000000)
elif what == "flood":
    while True:
        say(1, "üüüüü\\n")
elif what == "drip":
    for _ in range(int(rest[0])):
        say(1, "x")
    time.sleep(1000000)
elif what == "files":
    with open("in/given.txt") as given:
        text = given.read()
    os.mkdir("out")
    put("out/made.txt", "w", text)
    put("kept.txt", "a", " and more")
    os.unlink("gone.txt")
    os.symlink("kept.txt", "link")
elif what == "mark":
    for place in ["mark", "/tmp/mark", "/workspace/other-mark"]:
        say(1, "found " if os.path.exists(place) else "nothing ")
        put(place, "w", "here")
    try:
        put("/skill/mark", "w", "here")
        say(1, "open")
    except OSError:
        say(1, "closed")
else:
    sys.exit(90)
`;
