const FIRST_PAUSE_MS = 500;
const PAUSE_MS_MAX = 30_000;
/** About two minutes. */
const FAILURES_MAX = 8;

export interface Follower {
  onNew: () => void;
  /** Called once, when the server refused several times in a row: after sign-out, for example. */
  onEnd: () => void;
}

/**
 * Listens to server-sent events while the tab is visible. After an error it connects again, with
 * pauses that double. There is at most one connection at a time.
 *
 * @returns a function that stops listening
 */
export function follow(address: string, { onNew, onEnd }: Follower): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  function disconnect() {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  }
  function connect() {
    disconnect();
    if (document.hidden) return;
    source = new EventSource(address);
    source.onopen = () => {
      failures = 0;
    };
    source.onmessage = onNew;
    // The browser would connect again too, but with a pause that never grows.
    source.onerror = () => {
      disconnect();
      if (failures === FAILURES_MAX) return onEnd();
      timer = setTimeout(connect, Math.min(FIRST_PAUSE_MS * 2 ** failures, PAUSE_MS_MAX));
      failures += 1;
    };
  }
  function onVisibility() {
    if (document.hidden) return disconnect();
    connect();
    // The list is as old as the tab was hidden.
    onNew();
  }

  document.addEventListener('visibilitychange', onVisibility);
  connect();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    disconnect();
  };
}
