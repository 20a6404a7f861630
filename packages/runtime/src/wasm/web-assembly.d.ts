/**
 * The part of WebAssembly's JavaScript API in Node that the skills' hosts use. TypeScript declares it only
 * together with the APIs of browsers, in `lib.dom.d.ts`.
 */
// biome-ignore lint/style/noNamespace: the API is a namespace.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: BufferSource);
    static customSections(module: Module, name: string): ArrayBuffer[];
    static exports(module: Module): { kind: Kind; name: string }[];
    static imports(module: Module): { kind: Kind; module: string; name: string }[];
  }

  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Exports;
  }

  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }

  class Global {
    constructor(descriptor: { value: string; mutable?: boolean }, value?: unknown);
    // biome-ignore lint/suspicious/noExplicitAny: its type depends on the module.
    value: any;
  }

  class Table {
    constructor(descriptor: { element: 'anyfunc' | 'externref'; initial: number; maximum?: number });
    readonly length: number;
    get(index: number): unknown;
    grow(entries: number, value?: unknown): number;
    set(index: number, value?: unknown): void;
  }

  class CompileError extends Error {}
  class LinkError extends Error {}
  class RuntimeError extends Error {}

  type Kind = 'function' | 'global' | 'memory' | 'table' | 'tag';
  // biome-ignore lint/complexity/noBannedTypes: an exported function has any parameters.
  type ExportValue = Function | Global | Memory | Table;
  type Exports = Record<string, ExportValue>;
  type ModuleImports = Record<string, ExportValue | number>;
  type Imports = Record<string, ModuleImports>;
  type BufferSource = ArrayBufferView<ArrayBuffer> | ArrayBuffer;

  function compile(bytes: BufferSource): Promise<Module>;
  function instantiate(
    bytes: BufferSource,
    imports?: Imports,
  ): Promise<{ instance: Instance; module: Module }>;
  function instantiate(module: Module, imports?: Imports): Promise<Instance>;
  function validate(bytes: BufferSource): boolean;
}
