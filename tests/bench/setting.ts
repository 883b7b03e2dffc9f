/**
 * A size of a benchmark: the environment variable of that name, else `usual`, or `tiny` where BENCH_TINY is set, as the
 * suite does to see that every benchmark still runs to its end.
 */
export function setting(name: string, usual: number, tiny: number): number {
  return Number(process.env[name] ?? (process.env.BENCH_TINY ? tiny : usual))
}
