/** Series and their values, a sample a minute. */
type Series = Readonly<Record<string, string>>;

/** The values that a rule sees for half an hour: `fires` must fire at the end, `quiet`, just below its threshold, must not. */
export interface AlertCase {
  fires: Series;
  quiet: Series;
}

const [constantly, seldom] = ['x30', 'x28'];

/** One for each alert of docs/operations.md. */
export const alertCases: Readonly<Record<string, AlertCase>> = {
  AmbitDown: {
    fires: { 'up{job="ambit"}': `0${constantly}` },
    quiet: { 'up{job="ambit"}': `1${constantly}` },
  },
  AmbitAuditWritesFail: {
    fires: { ambit_audit_append_failures_total: `0${seldom} 1 1` },
    quiet: { ambit_audit_append_failures_total: `3${constantly}` },
  },
  AmbitDiskAlmostFull: {
    fires: { ambit_data_free_bytes: `999999999${constantly}` },
    quiet: { ambit_data_free_bytes: `1000000000${constantly}` },
  },
  AmbitAuditReserveLow: {
    fires: { ambit_audit_reserve_bytes: `14999999${constantly}` },
    quiet: { ambit_audit_reserve_bytes: `15000000x22 14999999x7` },
  },
  AmbitAuditNotSigned: {
    fires: {
      ambit_audit_events_unsigned: `1${constantly}`,
      ambit_audit_checkpoint_timestamp_seconds: `1400${constantly}`,
    },
    quiet: {
      ambit_audit_events_unsigned: `1${constantly}`,
      ambit_audit_checkpoint_timestamp_seconds: `1600${constantly}`,
    },
  },
  AmbitAuditBacklog: {
    fires: { ambit_audit_events_waiting: `1001${constantly}` },
    quiet: { ambit_audit_events_waiting: `1000${seldom} 1001 1000` },
  },
  AmbitAuditIndexBehind: {
    fires: { ambit_audit_index_behind_events: `100001${constantly}` },
    quiet: { ambit_audit_index_behind_events: `100000x22 100001x7` },
  },
  AmbitCallsWaiting: {
    fires: { ambit_calls_waiting: `1${constantly}` },
    quiet: { ambit_calls_waiting: `0x27 1x2` },
  },
  AmbitOverloaded: {
    fires: { 'ambit_refusals_total{code="OVERLOADED", via="http"}': `0${seldom} 1 1` },
    quiet: {
      'ambit_refusals_total{code="OVERLOADED", via="http"}': `5${constantly}`,
      'ambit_refusals_total{code="SKILL_NOT_FOUND", via="http"}': `0+1${constantly}`,
    },
  },
  AmbitFails: {
    fires: { 'ambit_refusals_total{code="SANDBOX_UNAVAILABLE", via="mcp"}': `0${seldom} 1 1` },
    quiet: {
      'ambit_refusals_total{code="INTERNAL", via="http"}': `5${constantly}`,
      'ambit_refusals_total{code="OVERLOADED", via="http"}': `0+1${constantly}`,
    },
  },
  AmbitWasmHostsLost: {
    fires: { ambit_wasm_host_losses_total: `0+7${constantly}` },
    quiet: { ambit_wasm_host_losses_total: `0+5${constantly}` },
  },
  AmbitKeysGuessed: {
    fires: { 'ambit_keys_refused_total{reason="wrong"}': `0+61${constantly}` },
    quiet: {
      'ambit_keys_refused_total{reason="wrong"}': `0+59${constantly}`,
      'ambit_keys_refused_total{reason="missing"}': `0+100${constantly}`,
    },
  },
  AmbitSecretsGuessed: {
    fires: { ambit_guessing_suspected_total: `0${seldom} 1 1` },
    quiet: { ambit_guessing_suspected_total: `1${constantly}`, ambit_redactions_total: `0+1${constantly}` },
  },
  AmbitLeaseNotRenewed: {
    fires: { 'ambit_cluster_renewal_seconds_count{outcome="failed"}': `0+5${constantly}` },
    quiet: {
      'ambit_cluster_renewal_seconds_count{outcome="failed"}': `0+1${constantly}`,
      'ambit_cluster_renewal_seconds_count{outcome="done"}': `0+30${constantly}`,
    },
  },
  AmbitLeaseLost: {
    fires: { ambit_cluster_lease_seconds: `0${constantly}` },
    quiet: { ambit_cluster_lease_seconds: `1${constantly}` },
  },
  AmbitNodeStopped: {
    fires: { 'ambit_cluster_nodes{status="stopped"}': `1${constantly}` },
    quiet: {
      'ambit_cluster_nodes{status="stopped"}': `0x27 1x2`,
      'ambit_cluster_nodes{status="retired"}': `1${constantly}`,
    },
  },
  AmbitNodesUnreachable: {
    fires: {
      'ambit_cluster_passed_request_seconds_count{outcome="unreachable"}': `0${seldom} 1 1`,
    },
    quiet: {
      'ambit_cluster_passed_request_seconds_count{outcome="unreachable"}': `3${constantly}`,
      'ambit_cluster_passed_request_seconds_count{outcome="answered"}': `0+1${constantly}`,
    },
  },
  AmbitAuditNotShipped: {
    fires: { ambit_audit_shipping_lag_seconds: `61${constantly}` },
    quiet: { ambit_audit_shipping_lag_seconds: `60${seldom} 61 60` },
  },
  AmbitPartDown: {
    fires: { 'ambit_part_up{part="queue"}': `0${constantly}` },
    quiet: { 'ambit_part_up{part="queue"}': `1x27 0x2` },
  },
};

/** The cases as a file for `promtool test rules`. */
export function ruleTests(rulesFile: string): string {
  const test = (alert: string, wanted: keyof AlertCase): object => ({
    name: `${alert} ${wanted}`,
    interval: '1m',
    input_series: Object.entries(alertCases[alert]?.[wanted] ?? {}).map(([series, values]) => ({
      series,
      values,
    })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}", alertstate="firing"})`,
        eval_time: '30m',
        exp_samples: wanted === 'fires' ? [{ labels: '{}', value: 1 }] : [],
      },
    ],
  });
  return JSON.stringify({
    rule_files: [rulesFile],
    evaluation_interval: '1m',
    tests: Object.keys(alertCases).flatMap((alert) => [test(alert, 'fires'), test(alert, 'quiet')]),
  });
}
