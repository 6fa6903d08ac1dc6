interface Target {
  readonly what: string;
  /** What the public reference (Rust compiled to WebAssembly) reports, on its own machines. */
  readonly reference?: string;
  readonly target: number;
  readonly stretch?: number;
  /** Higher is better; lower otherwise. */
  readonly atLeast?: true;
}

/** What each figure shall reach. */
export const TARGETS: Readonly<Record<string, Target>> = {
  and_gates: { what: 'AND gates, activation', reference: '65,780', target: 54_400, stretch: 53_809 },
  ab_bytes_activation: { what: 'A/B bytes, register, all messages both ways', reference: '2,222,584', target: 1_765_000 },
  ab_bytes_refresh: { what: 'A/B bytes, refresh', target: 1_765_000, stretch: 1_750_000 },
  ab_bytes_export: { what: 'A/B bytes, export', reference: '103,416', target: 30_000, stretch: 26_000 },
  frame_bytes_max: { what: 'largest frame', reference: '131,180', target: 65_700 },
  garble_ms: { what: 'garble, whole circuit, one thread, warm', reference: '75', target: 7.5, stretch: 6.2 },
  evaluate_ms: { what: 'evaluate', reference: '45', target: 4, stretch: 3.2 },
  garble_hash_ratio: { what: 'garble time / (ANDs × time of one 4-lane hash)', target: 1.25, stretch: 1.1 },
  kernel_load_ms: { what: 'kernel start-up', reference: '400–1,000 CPU', target: 20, stretch: 5 },
  first_register_ms: { what: 'first registration after all roles start', target: 300, stretch: 150 },
  client_cpu_ms_register: { what: 'client CPU of one registration, Node', target: 12, stretch: 6 },
  client_cpu_ms_sign: { what: 'client CPU of one signature, Node', target: 1.5, stretch: 0.8 },
  overlap_ratio: { what: 'A and B on two cores: wall / (garble + evaluate)', reference: '1.0', target: 0.85, stretch: 0.75 },
  register_ms_p50: { what: 'registration, client wall', reference: '94', target: 40, stretch: 25 },
  recover_ms_p50: { what: 'recovery', reference: '64.6', target: 40, stretch: 25 },
  refresh_ms_p50: { what: 'refresh', reference: '64.2', target: 40, stretch: 25 },
  export_ms_p50: { what: 'export', reference: '19.0', target: 15, stretch: 10 },
  sign_hit_ms_p50: { what: 'signature, pool hit', reference: '2.36', target: 2.4, stretch: 2 },
  sign_miss_ms_p50: { what: 'signature, pool miss', target: 4.5, stretch: 3.5 },
  sign_after_idle_ms_p50: { what: 'first signature after 12 s idle', target: 8, stretch: 5 },
  cpu_ms_activation: { what: 'CPU per activation, A + B', reference: '393', target: 30, stretch: 20 },
  cost_usd_per_million: { what: 'USD per million activations, CPU and requests', reference: '8.16', target: 1, stretch: 0.7 },
  ceremony_memory_mb: { what: 'extra memory of one ceremony in A or B', reference: '27.7 / 33.8', target: 8, stretch: 2 },
  worker_bundle_kib_max: { what: 'largest Worker bundle, gzip', reference: '570–600', target: 200, stretch: 120 },
  client_bundle_kib: { what: 'client bundle for a browser, gzip', reference: '222', target: 90, stretch: 60 },
  ab_round_trips: { what: 'sequential A/B round trips', reference: '2.5', target: 2, stretch: 1.5 },
  speedup_jigg: { what: 'two-party SHA-512 against jigg', target: 100, stretch: 300, atLeast: true },
  speedup_emp_wasm: { what: 'two-party SHA-512 against emp-wasm', target: 100, stretch: 300, atLeast: true },
};
