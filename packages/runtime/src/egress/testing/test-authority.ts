import { type CertificateAuthority, certificateAuthority } from '../tls/certificate-authority.ts';

/** An authority for the servers of tests, as the world has them outside. */
export const outside: Promise<CertificateAuthority> = certificateAuthority();
