export { offerPostgres as setup } from '../../packages/server/src/store/testing/shared-postgres.ts';
