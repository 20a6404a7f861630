import { withLock } from './lock.mjs';
import { BootstrapError, onPath, runStep } from './processes.mjs';

const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };

/**
 * Bubblewrap is the sandbox of process skills. Without it the daemon still serves prompts and refuses those skills, so
 * its absence is said and not fatal.
 * @param {string} root
 */
export async function ensureBubblewrap(root) {
  await ensureProgram(
    root,
    'bwrap',
    'bubblewrap',
    'bubblewrap is missing, so process skills will be refused',
  );
}

/**
 * The shell of SQLite, with which tests tamper with a log as somebody would; nothing else needs it.
 * @param {string} root
 */
export async function ensureSqliteShell(root) {
  await ensureProgram(root, 'sqlite3', 'sqlite3', 'sqlite3 is missing, so the tests of tampering will fail');
}

/**
 * @param {string} root
 * @param {string} program
 * @param {string} name of the package, the same everywhere
 * @param {string} absence what it means that it is not there
 */
async function ensureProgram(root, program, name, absence) {
  if (process.platform !== 'linux' || onPath(program).length > 0) return;
  const installable = process.getuid?.() === 0 && onPath('apt-get').length > 0;
  if (!installable) return explainAbsence(name, absence);
  await withLock(root, async () => {
    if (onPath(program).length > 0) return;
    await install(root, name).catch((error) => explainFailure(error, name, absence));
  });
}

/**
 * @param {string} cwd
 * @param {string} name
 */
async function install(cwd, name) {
  console.error(`ambit: installing ${name} (apt-get install ${name})`);
  const limits = [
    '-o',
    'Acquire::Retries=1',
    '-o',
    'Acquire::http::Timeout=20',
    '-o',
    'DPkg::Lock::Timeout=120',
  ];
  const options = { cwd, env, timeoutMs: 300_000 };
  // An update that fails for one of many sources does not stop the package from being found in another.
  await runStep('apt-get', ['update', ...limits], options).catch(goOnUnlessStopped);
  await runStep('apt-get', ['install', '-y', '--no-install-recommends', ...limits, name], options);
}

/**
 * @param {unknown} error
 * @param {string} name
 * @param {string} absence
 */
function explainFailure(error, name, absence) {
  goOnUnlessStopped(error);
  console.error(`ambit: ${/** @type {BootstrapError} */ (error).message}`);
  explainAbsence(name, absence);
}

/** @param {unknown} error */
function goOnUnlessStopped(error) {
  if (!(error instanceof BootstrapError) || error.exitCode !== 1) throw error;
}

/**
 * @param {string} name
 * @param {string} absence
 */
function explainAbsence(name, absence) {
  console.error(
    `ambit: ${absence}; install it with your package manager ` +
      `(apt-get install ${name}, dnf install ${name}, apk add ${name}, pacman -S ${name})`,
  );
}
