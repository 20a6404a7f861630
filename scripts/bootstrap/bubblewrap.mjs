import { withLock } from './lock.mjs';
import { BootstrapError, onPath, runStep } from './processes.mjs';

const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };

/**
 * Bubblewrap is the sandbox of process skills. Without it the daemon still serves prompts and refuses those skills, so
 * its absence is said and not fatal.
 * @param {string} root
 */
export async function ensureBubblewrap(root) {
  if (process.platform !== 'linux' || onPath('bwrap').length > 0) return;
  const installable = process.getuid?.() === 0 && onPath('apt-get').length > 0;
  if (!installable) return explainAbsence();
  await withLock(root, async () => {
    if (onPath('bwrap').length === 0) await install(root).catch(explainFailure);
  });
}

/** @param {string} cwd */
async function install(cwd) {
  console.error('ambit: installing bubblewrap (apt-get install bubblewrap)');
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
  await runStep('apt-get', ['install', '-y', '--no-install-recommends', ...limits, 'bubblewrap'], options);
}

/** @param {unknown} error */
function explainFailure(error) {
  goOnUnlessStopped(error);
  console.error(`ambit: ${/** @type {BootstrapError} */ (error).message}`);
  explainAbsence();
}

/** @param {unknown} error */
function goOnUnlessStopped(error) {
  if (!(error instanceof BootstrapError) || error.exitCode !== 1) throw error;
}

function explainAbsence() {
  console.error(
    'ambit: bubblewrap is missing, so process skills will be refused; install it with your package manager ' +
      '(apt-get install bubblewrap, dnf install bubblewrap, apk add bubblewrap, pacman -S bubblewrap)',
  );
}
