import { useEffect, useState } from 'preact/hooks';
import { api, sentence } from '../../api';
import { Reading, Time } from '../../parts/bits';
import type { AuditEntry } from '../../types';

function detailWords(detail: unknown): string {
  if (typeof detail !== 'object' || detail === null) return '';
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
}

/** Every answer, and every change to people and machines. Append-only. */
export function Audit() {
  const [items, setItems] = useState<readonly AuditEntry[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const read = (before?: string) => {
    api.audit(before).then(
      (page) => {
        setItems((old) => (before ? [...(old ?? []), ...page.items] : page.items));
        setNext(page.next);
        setError(null);
      },
      (thrown: unknown) => setError(sentence(thrown)),
    );
  };
  useEffect(() => read(), []);
  return (
    <section class="panel" aria-labelledby="audit-title">
      <h2 id="audit-title">Audit</h2>
      <Reading error={error} done={items !== null} again={() => read()} />
      {items && (
        <table class="stack two">
          <caption class="unseen">Audit, newest first</caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Who</th>
              <th scope="col">Did</th>
              <th scope="col">To</th>
              <th scope="col">Details</th>
            </tr>
          </thead>
          <tbody>
            {items.map(({ seq, at, actor, action, subject, detail }) => (
              <tr key={seq}>
                <td data-label="When">
                  <Time at={at} />
                </td>
                <td data-label="Who">{actor}</td>
                <td data-label="Did">{action}</td>
                <td data-label="To" class="mono">
                  {subject}
                </td>
                <td data-label="Details" class="quiet-text detail-words">
                  {detailWords(detail)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {next !== null && (
        <button type="button" onClick={() => read(next)}>
          Read further back
        </button>
      )}
    </section>
  );
}
