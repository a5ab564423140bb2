/** Counts how often each job has run. */
export class Ledger {
  constructor(jobs) {
    this.runs = new Uint8Array(jobs);
    this.count = 0; // Jobs that have run at least once.
    this.strangers = 0;
  }

  succeeded(number) {
    if (!(number in this.runs)) {
      ++this.strangers;
      return;
    }
    if (this.runs[number] === 0) ++this.count;
    if (this.runs[number] < 255) ++this.runs[number];
  }

  /** What is wrong, empty when every job ran exactly once. */
  mistakes() {
    const never = this.runs.reduce((sum, runs) => sum + (runs === 0 ? 1 : 0), 0);
    const again = this.runs.reduce((sum, runs) => sum + (runs > 1 ? 1 : 0), 0);
    if (never + again + this.strangers === 0) return '';
    return `${never} jobs never succeeded, ${again} more than once, ${this.strangers} are unknown`;
  }
}
