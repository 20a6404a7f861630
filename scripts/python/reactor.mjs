// Compiles CPython, zlib and SQLite for WASI with Debian's clang and wasi-libc, and links them as a reactor.
import { mkdir, readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join, relative } from 'node:path';
import { run } from './run.mjs';

const compiler = ['clang-14', '--target=wasm32-wasi'];
const emulated = ['SIGNAL', 'GETPID', 'PROCESS_CLOCKS', 'MMAN'].map((each) => `-D_WASI_EMULATED_${each}`);
const flags = ['-O3', '-g0', '-DNDEBUG', '-fno-strict-aliasing', '-w', ...emulated];

/**
 * @param {string} packageFolder
 * @param {{ python: string, zlib: string, sqlite: string }} sources
 * @param {string} folder
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function buildReactor(packageFolder, sources, folder) {
  const own = join(packageFolder, 'src');
  const libraries = join(folder, 'libraries');
  await mkdir(libraries, { recursive: true });
  const compile = (/** @type {string[]} */ ...args) =>
    run(compiler[0] ?? '', [...compiler.slice(1), ...flags, `-ffile-prefix-map=${folder}=.`, ...args], {
      cwd: folder,
    });
  const archive = (/** @type {string} */ name, /** @type {string[]} */ objects) =>
    run('llvm-ar-14', ['rcsD', join(libraries, `lib${name}.a`), ...objects]);

  await buildZlib(sources.zlib, libraries, compile, archive);
  await buildSqlite(sources.sqlite, own, libraries, compile, archive);
  const build = join(folder, 'build');
  await buildPython(sources.python, own, build, libraries);

  const include = [...['Include/internal', 'Include'].map((each) => join(sources.python, each)), build].map(
    (each) => `-I${each}`,
  );
  const start = join(build, 'ambit.o');
  await compile(...include, '-c', join(own, 'ambit.c'), '-o', start);
  const info = join(build, 'Modules/getbuildinfo.o');
  await compile(...include, ...buildInfo, '-c', join(sources.python, 'Modules/getbuildinfo.c'), '-o', info);
  await run('llvm-ar-14', ['rD', join(build, 'libpython3.11.a'), info]);
  const reactor = join(folder, 'python.wasm');
  const linked = [
    join(build, 'libpython3.11.a'),
    join(build, 'Modules/_decimal/libmpdec/libmpdec.a'),
    join(build, 'Modules/expat/libexpat.a'),
  ];
  await compile(
    ...[
      '-mexec-model=reactor',
      '-o',
      reactor,
      start,
      ...linked,
      `-L${libraries}`,
      '-lsqlite3',
      '-lz',
      '-ldl',
      '-lm',
    ],
    ...['signal', 'getpid', 'process-clocks', 'mman'].map((each) => `-lwasi-emulated-${each}`),
    // The stack comes first, so that a stack overflow is a trap.
    ...['-z', 'stack-size=4194304', '-Wl,--stack-first', '-Wl,--strip-all', '-Wl,--export=__stack_pointer'],
    ...['', '_alloc'].map((each) => `-Wl,--wrap=__wasilibc_find_relpath${each}`),
  );
  return new Uint8Array(await readFile(reactor));
}

/** The date of Debian's own build, in place of the time of this one. */
const buildInfo = [
  ...['-DPy_BUILD_CORE', '-DDATE="Apr 28 2025"', '-DTIME="14:11:48"'],
  ...['VERSION', 'TAG', 'BRANCH'].map((each) => `-DGIT${each}="${each === 'BRANCH' ? 'main' : ''}"`),
];

/** @typedef {(...args: string[]) => Promise<string>} Compile */
/** @typedef {(name: string, objects: string[]) => Promise<string>} Archive */

/**
 * @param {string} source
 * @param {string} libraries
 * @param {Compile} compile
 * @param {Archive} archive
 */
async function buildZlib(source, libraries, compile, archive) {
  const names = [
    'adler32',
    'compress',
    'crc32',
    'deflate',
    'infback',
    'inffast',
    'inflate',
    'inftrees',
    'trees',
    'uncompr',
    'zutil',
  ];
  const objects = names.map((name) => join(libraries, `${name}.o`));
  for (const [index, name] of names.entries())
    await compile('-c', join(source, `${name}.c`), '-o', objects[index] ?? '');
  await archive('z', objects);
  await run('cp', [join(source, 'zlib.h'), join(source, 'zconf.h'), libraries]);
}

/** As in Debian's own build, without what needs threads, locks or shared libraries. */
const sqliteOptions = [
  ...['THREADSAFE=0', 'OMIT_LOAD_EXTENSION', 'OMIT_WAL', 'MAX_MMAP_SIZE=0', 'DEFAULT_UNIX_VFS="unix-none"'],
  ...['SECURE_DELETE', 'ENABLE_COLUMN_METADATA', 'ENABLE_FTS3', 'ENABLE_FTS4', 'ENABLE_FTS5', 'ENABLE_RTREE'],
  ...[
    'ENABLE_DBSTAT_VTAB',
    'ENABLE_MATH_FUNCTIONS',
    'LIKE_DOESNT_MATCH_BLOBS',
    'SOUNDEX',
    'TEMP_STORE=2',
    'USE_URI',
  ],
];

/**
 * @param {string} source
 * @param {string} own
 * @param {string} libraries
 * @param {Compile} compile
 * @param {Archive} archive
 */
async function buildSqlite(source, own, libraries, compile, archive) {
  const generated = join(libraries, 'sqlite');
  await mkdir(generated, { recursive: true });
  await run(join(source, 'configure'), ['--disable-tcl'], { cwd: generated });
  await run('make', ['sqlite3.c'], { cwd: generated });
  const object = join(libraries, 'sqlite3.o');
  const options = sqliteOptions.map((each) => `-DSQLITE_${each}`);
  await compile(
    '-include',
    join(own, 'sqlite-wasi.h'),
    ...options,
    '-c',
    join(generated, 'sqlite3.c'),
    '-o',
    object,
  );
  await archive('sqlite3', [object]);
  await run('cp', [join(generated, 'sqlite3.h'), libraries]);
}

/**
 * @param {string} source
 * @param {string} own
 * @param {string} build
 * @param {string} libraries
 */
async function buildPython(source, own, build, libraries) {
  await mkdir(build, { recursive: true });
  const env = {
    CC: compiler.join(' '),
    CPP: [...compiler, '-E'].join(' '),
    CFLAGS: [...flags, `-ffile-prefix-map=${source}=.`].join(' '),
    CPPFLAGS: `-I${libraries} -I${own}`,
    LDFLAGS: `-L${libraries}`,
    AR: 'llvm-ar-14',
    RANLIB: 'llvm-ranlib-14',
    // What the machine's own libraries offer does not count.
    PKG_CONFIG: '/bin/false',
    CONFIG_SITE: join(source, 'Tools/wasm/config.site-wasm32-wasi'),
    ac_cv_func_memfd_create: 'no',
    ac_cv_lib_z_gzread: 'yes',
    ac_cv_lib_z_inflateCopy: 'yes',
  };
  await run(
    // A relative path: it becomes part of the interpreter.
    join(relative(build, source), 'configure'),
    [
      ...[
        '--host=wasm32-unknown-wasi',
        '--build=x86_64-pc-linux-gnu',
        '--with-build-python=/usr/bin/python3.11',
      ],
      ...[
        '--prefix=/usr',
        '--disable-ipv6',
        '--disable-test-modules',
        '--with-ensurepip=no',
        '--with-pymalloc',
      ],
    ],
    { cwd: build, env },
  );
  await run(
    'make',
    [
      `-j${cpus().length}`,
      'libpython3.11.a',
      'Modules/_decimal/libmpdec/libmpdec.a',
      'Modules/expat/libexpat.a',
    ],
    { cwd: build, env },
  );
}
