/** Whether a command, judging by its text, sends data to another machine. */
export function transfersOut([first = '', ...rest]: readonly string[]): boolean {
  const [one = '', two = ''] = rest.filter((word) => !word.startsWith('-'));
  switch (first.slice(first.lastIndexOf('/') + 1)) {
    case 'curl':
      return rest.some((word, at) => curlSends.test(word) || sendsByMethod(word, rest[at + 1]));
    case 'wget':
      return rest.some((word) => /^--(post|body)-(data|file)\b|^--method=(post|put|patch)$/i.test(word));
    case 'http':
    case 'https':
      return /^(post|put|patch)$/i.test(one);
    case 'scp':
    case 'rsync':
      return isRemote(rest.at(-1) ?? '');
    case 'sftp':
    case 'ftp':
    case 'nc':
    case 'ncat':
    case 'netcat':
    case 'telnet':
    case 'socat':
      return !rest.some((word) => /^-\w*l/.test(word));
    case 'git':
      return one === 'push';
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'cargo':
    case 'twine':
    case 'gem':
      return /^(publish|upload|push)$/.test(one);
    case 'docker':
    case 'podman':
      return one === 'push' || (one === 'image' && two === 'push');
    case 'aws':
      return (
        one === 's3' && rest.some((word, at) => at > 1 && word.startsWith('s3://') && at === rest.length - 1)
      );
    case 'gsutil':
    case 'rclone':
      return /^(cp|copy|sync|rsync|mv|move)$/.test(one) && isRemote(rest.at(-1) ?? '');
    case 'gh':
      return /^(gist create|release (create|upload))$/.test(`${one} ${two}`);
    default:
      return false;
  }
}

const curlSends =
  /^(-[a-zA-Z]*[dFT]|-d.+|-F.+|-T.+|--(data|data-\w+|form|form-string|json|upload-file|url-query)(=.*)?)$/;

function sendsByMethod(word: string, next = ''): boolean {
  const method = /^(?:-X|--request=?)(.*)$/.exec(word)?.[1];
  return method !== undefined && /^(post|put|patch)$/i.test(method === '' ? next : method);
}

/** `host:path`, `user@host:path` or `scheme://…`, but not a drive letter. */
function isRemote(place: string): boolean {
  return /^[\w.-]+@[\w.-]+:|^[\w.-]{2,}:|^\w+:\/\//.test(place);
}
