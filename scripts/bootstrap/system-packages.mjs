import { withLock } from './lock.mjs';
import { BootstrapError, onPath, runStep } from './processes.mjs';

const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };

const absence = 'bubblewrap is missing, so process skills are refused and `npm test` fails';

/**
 * Bubblewrap is the sandbox of process skills. Without it the daemon still serves prompts, so its
 * absence is only reported. Only root can install it.
 * @param {string} root
 */
export async function ensureBubblewrap(root) {
  if (process.platform !== 'linux' || isInstalled()) return;
  if (process.getuid?.() !== 0 || onPath('apt-get').length === 0) return explainAbsence();
  await withLock(root, async () => {
    if (isInstalled()) return;
    await install(root).catch(explainFailure);
  });
}

function isInstalled() {
  return onPath('bwrap').length > 0;
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
  // An update may fail for one source while another one still has the package.
  await runStep('apt-get', ['update', ...limits], options).catch(continueUnlessStopped);
  await runStep('apt-get', ['install', '-y', '--no-install-recommends', ...limits, 'bubblewrap'], options);
}

/** @param {unknown} error */
function explainFailure(error) {
  continueUnlessStopped(error);
  console.error(`ambit: ${/** @type {BootstrapError} */ (error).message}`);
  explainAbsence();
}

/** @param {unknown} error */
function continueUnlessStopped(error) {
  if (!(error instanceof BootstrapError) || error.exitCode !== 1) throw error;
}

function explainAbsence() {
  console.error(
    `ambit: ${absence}; install it with your package manager ` +
      '(apt-get install bubblewrap, dnf install bubblewrap, apk add bubblewrap, pacman -S bubblewrap)',
  );
}
