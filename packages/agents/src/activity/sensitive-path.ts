import { looksSecret } from '@ambit/core/skill';

/** Besides secrets: files that other people or programs run, or that decide what they run. */
const patterns: readonly RegExp[] = [
  /^\/(etc|boot|usr|bin|sbin|lib|lib64|opt|root|sys|proc|var\/spool\/cron)(\/|$)/,
  /(^|\/)\.(bashrc|bash_profile|bash_login|bash_aliases|profile|zshrc|zshenv|zprofile|gitconfig)$/,
  /(^|\/)\.config\/(autostart|systemd|fish)\//,
  /(^|\/)\.github\/(workflows|actions)\//,
  /(^|\/)\.gitlab-ci\.yml$/,
  /(^|\/)\.(claude|codex|cursor|amp)\/(settings[^/]*\.json|config\.toml|mcp\.json|hooks\/)/,
  /(^|\/)(\.husky|crontab)(\/|$)/,
];

/** Whether writing a file affects more than the project: secrets, system files, start-up files, automation. */
export function sensitivePath(path: string): boolean {
  const plain = path.trim().replaceAll('\\', '/').toLowerCase();
  return looksSecret(plain) || patterns.some((pattern) => pattern.test(plain));
}
