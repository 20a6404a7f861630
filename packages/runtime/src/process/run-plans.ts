import type { Grant } from '@ambit/core/execute';
import { programsNamed } from '@ambit/core/policy';
import { type Egress, egressBounds } from '../egress/call-egress.ts';
import type { CallProxy } from '../egress/call-proxy.ts';
import type { Environment } from '../spawn/environment.ts';
import type { CallFiles } from './call-files.ts';
import { treeDigests } from './dependencies/tree-digest.ts';
import type { OwnPaths } from './granted-paths.ts';
import type { HostSettings } from './host/host-access.ts';
import type { NetworkAccess } from './network-access.ts';
import { folderSignature, grantText, prewarmKey, type RunPlan } from './prewarm-key.ts';
import { nodeReservedBytes } from './programs/host-program.ts';
import { programData } from './programs/program-data.ts';
import { versionChecks } from './programs/program-version.ts';
import { launchedAhead } from './programs/python-launcher.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { sandboxedCommand } from './sandboxed-command.ts';
import type { skillNames } from './script-names.ts';
import type { PrewarmRequest } from './skill-pools.ts';

/** The machine and its operator's settings, as far as they decide how programs start. */
interface PlanContext {
  sandbox: Sandbox;
  own: OwnPaths;
  host: HostSettings | undefined;
  environment: Environment;
  egress: Egress | undefined;
  namesOf: ReturnType<typeof skillNames>;
}

/** Plans for starting the programs of grants. */
export interface RunPlans {
  /** The command of a call, with its mounts and limits. */
  planFor(grant: Grant, args: readonly string[], proxy?: CallProxy, files?: CallFiles): Promise<RunPlan>;
  /** The programs to prewarm, computed now: files and grants may have changed since a call began. */
  requestOf(grant: Grant): Promise<PrewarmRequest>;
}

export function runPlans({ sandbox, own, host, environment, egress, namesOf }: PlanContext): RunPlans {
  const digests = treeDigests();
  const data = programData();
  const checkVersion = versionChecks(sandbox);
  const planFor: RunPlans['planFor'] = async (grant, args, proxy, files) => {
    const context = {
      hostUser: sandbox.hostUser,
      own,
      network: await networkAccessOf(egress, proxy),
      files,
      host,
      namesOf,
      treeDigests: digests,
      programData: data,
    };
    const { memoryBytes, cpuMs, processes, fileBytes } = grant.limits;
    const command = await sandboxedCommand(grant, args, environment, context);
    await checkVersion(grant.skill, command.interpreter);
    return {
      command,
      limits: { memoryBytes, dataBytes: memoryBytes + reservedBytes(grant), cpuMs, processes, fileBytes },
    };
  };
  return {
    planFor,
    async requestOf(grant) {
      const plan = await planFor(grant, []);
      return {
        skillId: grant.skill.id,
        grant: grantText(grant),
        key: prewarmKey(grant, plan, await folderSignature(grant)),
        count: prewarmOf(grant),
        memoryBytes: grant.limits.memoryBytes,
        start: () => sandbox.start(launchedAhead(plan.command), plan.limits),
        currentKey: async () => prewarmKey(grant, plan, await folderSignature(grant)),
      };
    },
  };
}

/** The number of programs that the skill's sidecar wants to wait. */
export function prewarmOf({ skill: { run } }: Grant): number {
  return run.runtime === 'process' ? run.prewarm : 0;
}

async function networkAccessOf(
  egress: Egress | undefined,
  proxy: CallProxy | undefined,
): Promise<NetworkAccess | undefined> {
  if (egress === undefined || proxy === undefined) return undefined;
  const { connections: connectionsMax } = egressBounds;
  return { connectionsMax, certificates: await egress.certificates(), placeholders: proxy.placeholders };
}

/** Memory that the granted programs reserve beyond what they use. */
function reservedBytes({ capabilities: { exec } }: Grant): number {
  return exec.flatMap((name) => programsNamed(name).programs).includes('node') ? nodeReservedBytes : 0;
}
