export {
  type AnnouncedDaemon,
  announcedDaemon,
  announcementFile,
  isAnnouncerRunning,
  keyFileOf,
  ownAnnouncement,
} from './node/announced-daemon.ts';
export { type DaemonAccess, type FindDaemonOptions, findDaemon } from './node/find-daemon.ts';
export {
  agentSkillFolders,
  configFileName,
  findProject,
  type Project,
  projectDataDir,
  userConfigFile,
  userDataDir,
} from './node/find-project.ts';
export { KeyFileError, readKey } from './node/key-file.ts';
export { processStart } from './node/process-start.ts';
export {
  isUnusedDataDir,
  keyDigests,
  placeOf,
  trustDataDir,
  trustNewKeys,
  whyDataDirUntrusted,
} from './node/trust/data-dir-trust.ts';
export {
  type TrustedKind,
  type TrustRecord,
  type TrustStore,
  TrustStoreError,
  trustStore,
  trustStoreFolder,
} from './node/trust/trust-store.ts';
export { type UserPlaces, userPlaces } from './node/user-places.ts';
