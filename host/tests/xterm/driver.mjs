// xterm.js without a screen: one JSON request a line on stdin, one JSON answer a line on stdout.
import readline from 'node:readline';
import pkg from '@xterm/headless';

let terminal;

const answers = {
  new: ({ cols, rows }) => {
    terminal = new pkg.Terminal({ cols, rows, scrollback: 100000, allowProposedApi: true });
    return {};
  },
  feed: ({ hex }) => new Promise((done) => terminal.write(Buffer.from(hex, 'hex'), () => done({}))),
  resize: ({ cols, rows }) => {
    terminal.resize(cols, rows);
    return {};
  },
  cursor: () => [Math.min(terminal.buffer.active.cursorX, terminal.cols - 1), terminal.buffer.active.cursorY],
  lines: () => {
    const buffer = terminal.buffer.active;
    const lines = [];
    for (let index = 0; index < buffer.length; index++) {
      const line = buffer.getLine(index);
      const text = line.translateToString(false);
      if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
      else lines.push(text);
    }
    return { lines: lines.map((line) => line.trimEnd()) };
  },
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  console.log(JSON.stringify(await answers[request.op](request)));
}
