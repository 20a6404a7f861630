import { findProject, type Project, type UserPlaces, userConfigFile } from '@ambit/client/node';

export { agentSkillFolders, userConfigFile } from '@ambit/client/node';

/** The rule that decides which configuration and data directory are in force. */
export type ConfigScope = NamedScope | ProjectScope | UserScope;

/** The user named the configuration. */
interface NamedScope {
  kind: 'named';
  by: '--config' | 'AMBIT_CONFIG';
}

/** Ambit found a project. `sign` is what makes its folder one, such as `.claude/skills`. */
interface ProjectScope extends Pick<Project, 'folder' | 'sign'> {
  kind: 'project';
}

/** The user's own are in force. `searched` is the folder around which there is no project; `null`: nothing was searched. */
interface UserScope {
  kind: 'user';
  searched: string | null;
}

/** The places in which to look for a configuration if none is named. */
export interface ScopeSearch extends UserPlaces {
  /** An absolute path. */
  cwd: string;
  /** No project is looked for: the user's own configuration is in force. */
  outsideProjects?: boolean | undefined;
}

/** Finds the scope without a named configuration, and the path of its file, which need not exist. */
export async function findScope({
  cwd,
  outsideProjects = false,
  ...places
}: ScopeSearch): Promise<{ scope: ProjectScope | UserScope; file: string | undefined }> {
  const project = outsideProjects ? undefined : await findProject({ cwd, ...places });
  if (project === undefined)
    return {
      scope: { kind: 'user', searched: outsideProjects ? null : cwd },
      file: userConfigFile(places),
    };
  const { folder, file, sign } = project;
  return { scope: { kind: 'project', folder, sign }, file };
}
