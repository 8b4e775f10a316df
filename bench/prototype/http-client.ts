import { connect, type Socket } from 'node:net';

/** An answer. Its bytes are valid only during the call of the function that gets it. */
export interface Answer {
  readonly status: number;
  /** From the status line to the empty line. */
  readonly head: Buffer;
  readonly body: Buffer;
}

/** Called with an answer, or with the reason why there is none. */
export type OnAnswer = (answer: Answer | undefined, why: string) => void;

/** The target of requests. */
export interface Server {
  readonly hostname: string;
  readonly port: number;
  /** Idle connections. */
  readonly idle: Connection[];
}

/** Options of all requests of a client. */
export interface ClientOptions {
  /** Header lines, each with its line break. */
  readonly headers: string;
  /** Time limit of a request. */
  readonly timeLimitMs: number;
  /** A larger answer is aborted. */
  readonly mostBytes: number;
}

const END_OF_HEAD = '\r\n\r\n';
/** One buffer for all connections of a thread: received data is processed before any other is read. */
const READ_BUFFER_BYTES = 512 * 1024;
const CHECK_MS = 1000;

/** How the end of a body is known. */
type Framing = 'length' | 'chunked' | 'close';

/**
 * Plain HTTP/1.1 over kept connections, only as much as a crawl of loopback needs: no TLS, no content codings, no redirects. A body is
 * passed on in the read buffer, mostly without a copy.
 */
export class HttpClient {
  readonly options: ClientOptions;
  readonly buffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
  readonly #open = new Set<Connection>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: ClientOptions) {
    this.options = options;
    this.#timer = setInterval(() => this.#endLate(), CHECK_MS);
    this.#timer.unref();
  }

  get(server: Server, host: string, path: string, onAnswer: OnAnswer): void {
    const connection = server.idle.pop() ?? this.#connect(server);
    connection.request(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${this.options.headers}\r\n`, onAnswer);
  }

  /** Sends a request once more, on a connection of its own. */
  again(server: Server, text: string, onAnswer: OnAnswer): void {
    this.#connect(server).request(text, onAnswer);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const connection of this.#open) connection.destroy('closed');
  }

  #connect(server: Server): Connection {
    const connection = new Connection(this, server, () => this.#open.delete(connection));
    this.#open.add(connection);
    return connection;
  }

  #endLate(): void {
    const now = performance.now();
    for (const connection of this.#open) if (connection.isLate(now)) connection.destroy('not done in time');
  }
}

/** A connection, with at most one running request. */
class Connection {
  readonly #client: HttpClient;
  readonly #server: Server;
  readonly #socket: Socket;
  #onAnswer: OnAnswer | undefined;
  #request = '';
  #startedAt = 0;
  /** Whether it has served a request before. */
  #isReused = false;
  /** Whether the server keeps it open after this answer. */
  #isKept = true;
  /** The received part of an incomplete answer. If its length is known, the buffer has room for all of it. */
  #part: Buffer | undefined;
  #partLength = 0;
  /** Length of the head and of the body of this answer, once the head was read. */
  #headLength = 0;
  #framing: Framing = 'length';
  #wholeLength = 0;

  constructor(client: HttpClient, server: Server, onClose: () => void) {
    this.#client = client;
    this.#server = server;
    this.#socket = connect({
      host: server.hostname,
      port: server.port,
      noDelay: true,
      onread: {
        buffer: client.buffer,
        callback: (length, buffer) => {
          this.#read((buffer as Buffer).subarray(0, length));
          return true;
        },
      },
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('end', () => this.#ended());
    this.#socket.on('close', () => {
      onClose();
      this.#ended();
    });
  }

  request(text: string, onAnswer: OnAnswer): void {
    this.#onAnswer = onAnswer;
    this.#request = text;
    this.#startedAt = performance.now();
    this.#socket.write(text, 'latin1');
  }

  isLate(now: number): boolean {
    return this.#onAnswer !== undefined && now - this.#startedAt > this.#client.options.timeLimitMs;
  }

  destroy(why: string): void {
    this.#fail(why);
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (!this.#onAnswer) return this.destroy('more than was asked for');
    let data = chunk;
    if (this.#part) {
      if (this.#partLength + chunk.length > this.#part.length)
        this.#part = withRoom(this.#part, this.#partLength + chunk.length);
      this.#part.set(chunk, this.#partLength);
      this.#partLength += chunk.length;
      data = this.#part.subarray(0, this.#partLength);
    }
    if (this.#headLength === 0) this.#readHead(data);
    if (this.#headLength > 0 && this.#framing !== 'close') {
      if (this.#framing === 'chunked') {
        const body = joinChunks(data, this.#headLength);
        if (body === null) return this.destroy('a chunk has no size');
        if (body) return this.#answer(data, body);
      } else if (data.length >= this.#wholeLength) {
        return this.#answer(data, data.subarray(this.#headLength, this.#wholeLength));
      }
    }
    if (data.length > this.#client.options.mostBytes) return this.destroy('too long');
    if (this.#part) return;
    const isKnown = this.#headLength > 0 && this.#framing === 'length';
    this.#part = Buffer.allocUnsafeSlow(isKnown ? this.#wholeLength : Math.max(65_536, data.length * 2));
    this.#part.set(data);
    this.#partLength = data.length;
  }

  #readHead(data: Buffer): void {
    const end = data.indexOf(END_OF_HEAD, 0, 'latin1');
    if (end < 0) return;
    this.#headLength = end + END_OF_HEAD.length;
    const status = statusOf(data);
    if (status === 204 || status === 304) {
      this.#framing = 'length';
      this.#wholeLength = this.#headLength;
      return;
    }
    const head = data.toString('latin1', 0, end + 2);
    const length = /\r\ncontent-length:[ \t]*(\d+)[ \t]*\r\n/i.exec(head)?.[1];
    const isChunked = /\r\ntransfer-encoding:[ \t]*chunked[ \t]*\r\n/i.test(head);
    this.#framing = isChunked ? 'chunked' : length === undefined ? 'close' : 'length';
    this.#isKept = this.#framing !== 'close' && !/\r\nconnection:[ \t]*close[ \t]*\r\n/i.test(head);
    this.#wholeLength = this.#headLength + Math.min(Number(length ?? 0), this.#client.options.mostBytes);
  }

  #answer(data: Buffer, body: Buffer): void {
    const onAnswer = this.#onAnswer!;
    const answer = { status: statusOf(data), head: data.subarray(0, this.#headLength), body };
    this.#onAnswer = undefined;
    this.#part = undefined;
    this.#headLength = 0;
    this.#isReused = true;
    if (this.#isKept) this.#server.idle.push(this);
    else this.#socket.destroy();
    onAnswer(answer, '');
  }

  /** The server has closed the connection. */
  #ended(): void {
    const idle = this.#server.idle.indexOf(this);
    if (idle >= 0) this.#server.idle.splice(idle, 1);
    if (!this.#onAnswer) {
      this.#socket.destroy();
      return;
    }
    if (this.#headLength > 0 && this.#framing === 'close' && this.#part) {
      const data = this.#part.subarray(0, this.#partLength);
      return this.#answer(data, data.subarray(this.#headLength));
    }
    // A server may close a used connection just as a request is sent.
    if (this.#isReused && !this.#part) {
      const [text, onAnswer] = [this.#request, this.#onAnswer];
      this.#onAnswer = undefined;
      this.#client.again(this.#server, text, onAnswer);
      return;
    }
    this.#fail('the connection was closed');
    this.#socket.destroy();
  }

  #fail(why: string): void {
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    this.#part = undefined;
    onAnswer?.(undefined, why);
  }
}

function statusOf(data: Buffer): number {
  // HTTP/1.1 200 …
  return Number(data.toString('latin1', 9, 12));
}

function withRoom(part: Buffer, length: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(part.length * 2, length));
  larger.set(part);
  return larger;
}

/** The body of a chunked answer. Undefined: it is incomplete. null: it is invalid. */
function joinChunks(data: Buffer, from: number): Buffer | undefined | null {
  const parts: Buffer[] = [];
  for (let at = from; ;) {
    const lineEnd = data.indexOf('\r\n', at, 'latin1');
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(data.toString('latin1', at, lineEnd), 16);
    if (!(size >= 0)) return null;
    const start = lineEnd + 2;
    if (size === 0) return data.indexOf('\r\n', start, 'latin1') < 0 ? undefined : Buffer.concat(parts);
    if (start + size + 2 > data.length) return undefined;
    parts.push(data.subarray(start, start + size));
    at = start + size + 2;
  }
}
