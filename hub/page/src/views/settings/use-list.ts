import { useEffect, useState } from 'preact/hooks';
import { sentence } from '../../api';
import type { List } from '../../types';

/** Loads a short list once, and again on request. */
export function useList<T>(get: () => Promise<List<T>>) {
  const [items, setItems] = useState<readonly T[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  const read = async () => {
    try {
      setItems((await get()).items);
      setError(null);
    } catch (thrown) {
      setError(sentence(thrown));
    }
  };
  useEffect(() => {
    void read();
  }, []);
  return { items, error, read };
}
