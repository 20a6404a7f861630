// The health check of the image: exits with 0 if the daemon answers GET /healthz.
import { readFileSync } from 'node:fs';
import process from 'node:process';

// It calls only this container, and sends no secret. The certificate names the address that clients use.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const { url } = JSON.parse(readFileSync(`${process.env.AMBIT_DATA_DIR}/daemon.json`, 'utf8'));
const { ok } = await fetch(`${url}/healthz`);
process.exitCode = ok ? 0 : 1;
