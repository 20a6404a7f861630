// The kinds that the caller can choose, as bits of a set.
export const EMAIL: u32 = 1;
export const TOKEN: u32 = 2;
export const PRIVATE_KEY: u32 = 4;
export const PASSWORD: u32 = 8;
export const CARD: u32 = 16;
export const EVERY_KIND: u32 = 31;

/** The kind of a name; 0 if it is unknown. */
export function kindCalled(name: string): u32 {
  if (name == 'email') return EMAIL;
  if (name == 'token') return TOKEN;
  if (name == 'private-key') return PRIVATE_KEY;
  if (name == 'password') return PASSWORD;
  if (name == 'card') return CARD;
  return 0;
}

export function kindName(kind: u32): string {
  if (kind == EMAIL) return 'email';
  if (kind == TOKEN) return 'token';
  if (kind == PRIVATE_KEY) return 'private-key';
  if (kind == PASSWORD) return 'password';
  return 'card';
}

/**
 * One recognizable form of secret: its kind for masking, and the more specific name under which it
 * is counted.
 */
@final
export class Secret {
  constructor(
    readonly id: i32,
    readonly kind: u32,
    readonly type: string,
  ) {}
}

export const EMAIL_ADDRESS = new Secret(0, EMAIL, 'email');
export const GITHUB_TOKEN = new Secret(1, TOKEN, 'github-token');
export const GITLAB_TOKEN = new Secret(2, TOKEN, 'gitlab-token');
export const AWS_ACCESS_KEY_ID = new Secret(3, TOKEN, 'aws-access-key-id');
export const AWS_SECRET_ACCESS_KEY = new Secret(4, TOKEN, 'aws-secret-access-key');
export const SLACK_TOKEN = new Secret(5, TOKEN, 'slack-token');
export const GOOGLE_API_KEY = new Secret(6, TOKEN, 'google-api-key');
export const GOOGLE_OAUTH = new Secret(7, TOKEN, 'google-oauth');
export const SK_API_KEY = new Secret(8, TOKEN, 'sk-api-key');
export const STRIPE_KEY = new Secret(9, TOKEN, 'stripe-key');
export const NPM_TOKEN = new Secret(10, TOKEN, 'npm-token');
export const PYPI_TOKEN = new Secret(11, TOKEN, 'pypi-token');
export const HUGGING_FACE_TOKEN = new Secret(12, TOKEN, 'hugging-face-token');
export const SENDGRID_KEY = new Secret(13, TOKEN, 'sendgrid-key');
export const JWT = new Secret(14, TOKEN, 'jwt');
export const BEARER_TOKEN = new Secret(15, TOKEN, 'bearer-token');
export const PEM_PRIVATE_KEY = new Secret(16, PRIVATE_KEY, 'private-key');
export const URL_PASSWORD = new Secret(17, PASSWORD, 'url-password');
export const CARD_NUMBER = new Secret(18, CARD, 'card-number');

/** Every secret, at the index of its id. */
export const SECRETS: Secret[] = [
  EMAIL_ADDRESS,
  GITHUB_TOKEN,
  GITLAB_TOKEN,
  AWS_ACCESS_KEY_ID,
  AWS_SECRET_ACCESS_KEY,
  SLACK_TOKEN,
  GOOGLE_API_KEY,
  GOOGLE_OAUTH,
  SK_API_KEY,
  STRIPE_KEY,
  NPM_TOKEN,
  PYPI_TOKEN,
  HUGGING_FACE_TOKEN,
  SENDGRID_KEY,
  JWT,
  BEARER_TOKEN,
  PEM_PRIVATE_KEY,
  URL_PASSWORD,
  CARD_NUMBER,
];

/**
 * The range of a secret. One object is used for a whole text, so that searching allocates nothing.
 */
@final
export class Match {
  secret: Secret = EMAIL_ADDRESS;
  start: usize = 0;
  /** The position where the search continues; the secret's end if there is one. */
  end: usize = 0;
  /**
   * The password of the last URL. It is masked only when the search reaches it, because the user
   * name may be a secret too.
   */
  passwordStart: usize = 0;
  passwordEnd: usize = 0;

  set(secret: Secret, start: usize, end: usize): bool {
    this.secret = secret;
    this.start = start;
    this.end = end;
    return true;
  }
}
