/**
 * Debian packages and their programs that skills use. The first word is the package, and also a
 * program.
 */
const packages = [
  ...'bash bc bzip2 cargo clang cmake composer curl dash ffmpeg file g++ gawk gcc gdb git gnuplot gzip inkscape'.split(
    ' ',
  ),
  ...'jq less libreoffice make maven mawk optipng pandoc perl pngquant python3 qpdf rsync ruby rustc shellcheck sox'.split(
    ' ',
  ),
  ...'sqlite3 tar tidy tree unzip wget xsltproc zip zsh zstd'.split(' '),
  'calibre ebook-convert',
  'default-jdk-headless javac jar',
  'default-jre-headless java',
  'default-mysql-client mysql mysqldump',
  'fd-find fd fdfind',
  'fontconfig fc-list fc-match fc-cache',
  'gdal-bin gdalinfo gdal_translate ogr2ogr',
  'ghostscript gs ps2pdf',
  'golang-go go gofmt',
  'graphviz dot neato',
  'imagemagick animate compare composite convert identify mogrify montage',
  'libimage-exiftool-perl exiftool',
  'libreoffice soffice lowriter localc',
  'libxml2-utils xmllint',
  'ninja-build ninja',
  'nodejs node',
  'npm npx',
  'openssh-client scp sftp ssh ssh-keygen',
  'openssl',
  'php-cli php',
  'poppler-utils pdfimages pdfinfo pdfseparate pdftocairo pdftohtml pdftoppm pdftotext pdfunite',
  'postgresql-client psql pg_dump',
  'procps free pgrep ps top',
  'python3 python',
  'python3-pip pip pip3',
  'r-base-core R Rscript',
  'ripgrep rg',
  'ruby gem irb',
  'tesseract-ocr tesseract',
  'texlive-latex-base latex pdflatex',
  'texlive-xetex xelatex',
  'util-linux column script',
  'xz-utils xz unxz',
];

const packageOf = new Map(
  packages.flatMap((line) => {
    const [name = '', ...programs] = line.split(' ');
    return [name, ...programs].map((program) => [program, name] as const);
  }),
);

/**
 * The Debian or Ubuntu package that contains a program; `undefined` if this table does not list it.
 */
export function debianPackageOf(program: string): string | undefined {
  return packageOf.get(program);
}
