import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The files and programs that a program needs besides itself and the shared libraries. */
export interface ProgramNeeds {
  /** Programs that it starts, by name. Missing ones are left out. */
  programs: readonly string[];
  /** Files and folders that it reads. */
  paths: readonly string[];
  /** Debian's names of the packages that its modules come in. */
  modulePackages: readonly string[];
}

/** Programs with the same needs. */
interface Row {
  programs: string;
  /** Programs that they start. */
  starts?: string;
  /** `*` matches any text within a name. */
  reads?: string;
  /** The packages of an interpreter's modules, by Debian's policies for names. */
  modules?: string;
}

const fonts =
  '/etc/fonts /usr/share/fonts /usr/share/fontconfig /usr/local/share/fonts /var/cache/fontconfig';
const compilers = 'as ld ld.bfd ld.gold ar ranlib nm strip objcopy objdump';
const shellTools = 'sh basename cat cut dirname expr grep head id ls pwd readlink rm sed tr uname';

/**
 * The needs of common programs, as Debian and Ubuntu install them. A program's own folder
 * (`/usr/lib/jvm/NAME`) and the interpreter of a script are found without this table. Names have no
 * version: `gcc` also means `gcc-12`, and `convert` means `convert-im6.q16`.
 */
const rows: readonly Row[] = [
  {
    programs: 'python',
    reads: '/usr/lib/python3* /usr/local/lib/python3* /etc/mime.types',
    modules: 'python3-* python-*',
  },
  { programs: 'git', reads: '/usr/lib/git-core /usr/libexec/git-core /usr/share/git-core' },
  { programs: 'perl exiftool', reads: '/usr/share/perl* /etc/perl', modules: 'lib*-perl' },
  {
    programs: 'ruby gem irb bundle',
    reads: '/usr/lib/ruby /usr/share/ruby* /usr/share/rubygems-integration',
    modules: 'ruby-*',
  },
  {
    programs: 'php',
    reads: '/etc/php/*/cli /etc/php/*/mods-available /usr/lib/php /usr/share/php*',
    modules: 'php*-*',
  },
  { programs: 'node', reads: '/usr/share/nodejs /usr/share/node_modules', modules: 'node-*' },
  {
    programs: 'npm npx',
    starts: 'node sh',
    reads: '/usr/share/nodejs /usr/share/node_modules /usr/lib/node_modules /usr/local/lib/node_modules',
  },
  {
    programs: 'gcc g++ cc c++ cpp gfortran',
    starts: compilers,
    reads: '/usr/lib/gcc /usr/libexec/gcc /usr/include',
  },
  {
    programs: 'clang clang++',
    starts: compilers,
    reads: '/usr/lib/gcc /usr/include /usr/lib/clang /usr/lib/llvm-*',
  },
  {
    programs: 'rustc cargo',
    starts: `rustc cc gcc ${compilers}`,
    reads: '/usr/lib/rustlib /usr/lib/gcc /usr/libexec/gcc',
  },
  { programs: 'go gofmt', reads: '/usr/lib/go-* /usr/share/go-*' },
  { programs: 'cmake ctest cpack', reads: '/usr/share/cmake* /usr/local/share/cmake*' },
  { programs: 'make', starts: 'sh', reads: '/usr/include' },
  { programs: 'gdb', reads: '/usr/share/gdb /etc/gdb /usr/lib/python3*' },
  { programs: 'java javac jar jshell keytool', reads: '/etc/java-* /etc/ssl/certs/java' },
  { programs: 'mvn', starts: `java ${shellTools}`, reads: '/usr/share/maven* /usr/share/java /etc/maven' },
  {
    programs: 'psql pg_dump pg_restore createdb',
    starts: 'perl psql',
    reads: '/usr/share/postgresql* /usr/lib/postgresql /etc/postgresql-common /usr/share/perl*',
  },
  {
    programs: 'convert identify mogrify composite montage compare magick',
    starts: 'gs',
    reads: `/etc/ImageMagick-* /usr/share/ImageMagick-* ${fonts} /usr/share/ghostscript`,
  },
  {
    programs: 'gs ps2pdf',
    starts: 'gs sh basename ps2pdf12 ps2pdf13 ps2pdf14 ps2pdfwr',
    reads: `/usr/share/ghostscript /var/lib/ghostscript /usr/share/color ${fonts}`,
  },
  {
    programs: 'soffice libreoffice lowriter localc loimpress',
    starts: shellTools,
    reads: `/usr/lib/libreoffice /etc/libreoffice /usr/share/libreoffice ${fonts} /usr/share/liblangtag`,
  },
  { programs: 'inkscape', reads: `/usr/share/inkscape ${fonts}` },
  { programs: 'dot neato fdp sfdp twopi circo', reads: fonts },
  { programs: 'gnuplot', reads: `/usr/share/gnuplot /etc/gnuplot* ${fonts}` },
  { programs: 'pdftoppm pdftocairo pdftotext', reads: `/usr/share/poppler ${fonts}` },
  { programs: 'fc-list fc-match fc-cache', reads: fonts },
  { programs: 'pandoc', reads: '/usr/share/pandoc*' },
  { programs: 'tesseract', reads: '/usr/share/tesseract-ocr' },
  {
    programs: 'latex pdflatex xelatex lualatex bibtex kpsewhich',
    starts: 'kpsewhich mktexpk mktexfmt sh',
    reads: `/usr/share/texlive /usr/share/texmf /etc/texmf /var/lib/texmf ${fonts}`,
  },
  {
    programs: 'R Rscript',
    starts: `R ${shellTools}`,
    reads: '/usr/lib/R /etc/R /usr/share/R /usr/local/lib/R',
    modules: 'r-cran-* r-bioc-*',
  },
  { programs: 'file', reads: '/usr/share/misc/magic* /usr/lib/file /etc/magic*' },
  { programs: 'xmllint xsltproc', reads: '/etc/xml /usr/share/xml' },
  { programs: 'openssl ssh-keygen curl wget', reads: '/etc/ssl/openssl.cnf' },
  { programs: 'sox', reads: '/etc/mime.types' },
  { programs: 'ffmpeg ffprobe', reads: '/usr/share/ffmpeg' },
  { programs: 'locale localedef', reads: '/usr/share/i18n /etc/locale.alias' },
  { programs: 'less man', reads: '/usr/share/terminfo /lib/terminfo' },
];

const byProgram = new Map(
  rows.flatMap((row) => row.programs.split(' ').map((program) => [program, row] as const)),
);

/**
 * The table's entries for a program, by any of its names. Returns only existing paths, and nothing
 * for an unknown program.
 */
export function programNeeds(names: readonly string[]): ProgramNeeds {
  const known = new Set(
    names.flatMap((name) => byProgram.get(name) ?? byProgram.get(withoutVersion(name)) ?? []),
  );
  return {
    programs: [...known].flatMap(({ starts = '' }) => words(starts)),
    paths: [...known].flatMap(({ reads = '' }) => words(reads)).flatMap(matchingPaths),
    modulePackages: [...known].flatMap(({ modules = '' }) => words(modules)),
  };
}

function withoutVersion(name: string): string {
  return name.replace(/[-.\d].*$/, '');
}

function words(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}

/** The existing paths that match; `*` is any text within a name. */
export function matchingPaths(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .reduce((folders: string[], part) => folders.flatMap((folder) => namesIn(folder, part)), ['/']);
}

function namesIn(folder: string, part: string): string[] {
  const [start = '', end] = part.split('*');
  if (end === undefined) return existsSync(join(folder, part)) ? [join(folder, part)] : [];
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith(start) && name.endsWith(end))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
