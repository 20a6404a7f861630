import { looksSecret } from '@ambit/core/internal';

/** Beside secrets: what is run, or decides what is run, by others than whoever writes it. */
const patterns: readonly RegExp[] = [
  /^\/(etc|boot|usr|bin|sbin|lib|lib64|opt|root|sys|proc|var\/spool\/cron)(\/|$)/,
  /(^|\/)\.(bashrc|bash_profile|bash_login|bash_aliases|profile|zshrc|zshenv|zprofile|gitconfig)$/,
  /(^|\/)\.config\/(autostart|systemd|fish)\//,
  /(^|\/)\.github\/(workflows|actions)\//,
  /(^|\/)\.gitlab-ci\.yml$/,
  /(^|\/)\.(claude|codex|cursor|amp)\/(settings[^/]*\.json|config\.toml|mcp\.json|hooks\/)/,
  /(^|\/)(\.husky|crontab)(\/|$)/,
];

/** Whether a file matters beyond the project when it is written: secrets, the system, start files, automation. */
export function sensitivePath(path: string): boolean {
  const plain = path.trim().replaceAll('\\', '/').toLowerCase();
  return looksSecret(plain) || patterns.some((pattern) => pattern.test(plain));
}
