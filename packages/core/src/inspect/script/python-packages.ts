/** The top-level modules of Python 3.11 and of its neighbours. Others come from packages. */
const standardModules: ReadonlySet<string> = new Set(
  (
    '__future__ __main__ _thread abc aifc antigravity argparse array ast asynchat asyncio asyncore ' +
    'atexit audioop base64 bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd ' +
    'code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars ' +
    'copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils ' +
    'doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch ' +
    'fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib ' +
    'heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json ' +
    'keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap ' +
    'modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode ' +
    'operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib ' +
    'poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat ' +
    'queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors ' +
    'shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile ' +
    'sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys ' +
    'sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit ' +
    'tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing ' +
    'unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref ' +
    'xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo'
  ).split(' '),
);

/** Modules whose package has another name. */
const packages: Readonly<Record<string, string>> = {
  yaml: 'PyYAML',
  PIL: 'Pillow',
  cv2: 'opencv-python',
  bs4: 'beautifulsoup4',
  sklearn: 'scikit-learn',
  docx: 'python-docx',
  pptx: 'python-pptx',
  fitz: 'PyMuPDF',
  dotenv: 'python-dotenv',
  skimage: 'scikit-image',
  dateutil: 'python-dateutil',
  jwt: 'PyJWT',
  Crypto: 'pycryptodome',
  OpenSSL: 'pyOpenSSL',
  git: 'GitPython',
  attr: 'attrs',
  magic: 'python-magic',
  serial: 'pyserial',
  usb: 'pyusb',
  zmq: 'pyzmq',
  MySQLdb: 'mysqlclient',
  psycopg2: 'psycopg2-binary',
  github: 'PyGithub',
  slugify: 'python-slugify',
  telegram: 'python-telegram-bot',
  pkg_resources: 'setuptools',
  googleapiclient: 'google-api-python-client',
  win32com: 'pywin32',
  markdown: 'Markdown',
  jinja2: 'Jinja2',
  flask: 'Flask',
  django: 'Django',
  levenshtein: 'Levenshtein',
  umap: 'umap-learn',
  faiss: 'faiss-cpu',
  ruamel: 'ruamel.yaml',
  pypdfium2: 'pypdfium2',
  socks: 'PySocks',
};

/** The module that Ambit gives to Python in WebAssembly. */
export const wasmModule = 'ambit';

/** Whether a module comes with Python. */
export function isStandardModule(module: string): boolean {
  return standardModules.has(module);
}

/** The usual name of the package that has a module. A guess. */
export function packageOfModule(module: string): string {
  return Object.hasOwn(packages, module) ? (packages[module] ?? module) : module.replaceAll('_', '-');
}
