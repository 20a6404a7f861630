export {
  type AnnouncedDaemon,
  announcedDaemon,
  announcementFile,
  keyFileOf,
} from './node/announced-daemon.ts';
export { type DaemonAccess, type FindDaemonOptions, findDaemon } from './node/find-daemon.ts';
export { KeyFileError, readKey } from './node/key-file.ts';
