import { kilobytes, milliseconds } from './number.ts';
import type { Text } from './text.ts';

const locale = { locale: 'ja' };

const messages: Text['ceremony']['messages'] = {
  request: '要求',
  call: '呼出',
  answer: '応答',
  open: '開始',
  accept: '受諾',
  tables: 'テーブル',
  pads: 'パッド',
  credit: '送信枠',
  output: '出力',
  receipt: '受領証',
  cosignature: '連署',
  abort: '中止',
};

export const jaCeremony: Text['ceremony'] = {
  heading: '計測されたセレモニー',
  lead: '操作はすべて実行中に記録され、ゆっくり再生できます。時間もバイト数も実測値だけを示します。',
  empty: 'このタブではまだ何も実行されていません。ウォレットを作るか署名すると、役割の間を流れたものがここに表示されます。',
  introduction: {
    client: '鍵のシェアの一方と、封をしたルートを持ちます。要求を出し、すべての応答を検証します。',
    router: '要求を受け入れて中継します。動いていること以外は、何も信頼されていません。',
    'deriver-a': '三つの秘密の部分から鍵を作る回路をガーブルし、送り出します。',
    'deriver-b': 'A から届くものを評価します。何を計算しているのかは見えません。',
    'signing-worker': '鍵のもう一方のシェアを持ち、この端末と一緒に署名します。',
  },
  choose: '記録された操作',
  chartLabel: 'セレモニーの図。五者を列に、時間を上から下に、メッセージを矢印で示します。同じ内容が下の表にあります。',
  measured: (ms) => `要求から応答まで ${ms}(このページの時計)。`,
  slowed: (times) => `${times} 倍に引き延ばして再生します。`,
  span: '表示範囲',
  whole: '要求から応答まで',
  derivers: 'Deriver 間だけ',
  play: '再生',
  pause: '一時停止',
  moment: 'セレモニーの時点',
  momentValue: (at, whole) => `${whole} のうち ${at}`,
  tables: (frames, bytes) => `ガーブルドテーブル: ${frames} フレーム、${bytes}`,
  tablesState: (garbled, evaluated, frames) => `${frames} のうち、生成 ${garbled}、B が受領 ${evaluated}`,
  garbled: 'A が生成して送信',
  evaluated: 'B が受領',
  overlap: (evaluated, frames) =>
    evaluated === 0
      ? `A は、B から評価済みの報告が届く前に、全 ${frames} フレームを送り終えました。`
      : `生成と評価は並行しました。A が全 ${frames} フレームの最後を送る前に、B は少なくとも ${evaluated} フレームの評価を報告していました。`,
  total: (toB, toA) => `Deriver 間の通信量: A から B へ ${toB}、B から A へ ${toA}。`,
  shifted: (ms) => `役割の時計はこのページの時計と ${ms} ずれているため、一律にその分だけ移しました。`,
  clocks:
    '各役割は自分の時計でミリ秒単位の時刻を報告します。Cloudflare では Worker の計算中に時計が進まないため、役割の内部の経過時間はあまり意味を持ちません。順序とバイト数はどこでも成り立ちます。',
  list: 'すべてのメッセージの表',
  columns: { at: '送信時点', from: '送信元', to: '宛先', message: 'メッセージ', bytes: 'バイト数' },
  messages,
  messageLine: ({ from, to, name, bytes, sentAt }) =>
    `${milliseconds(sentAt, locale)}: ${messages[name] ?? name}、${kilobytes(bytes, locale)}、${from} → ${to}`,
  requests: 'このページの要求',
  requestColumns: { path: '要求', sent: '送信', received: '受信', took: '時間' },
  noCeremony: 'この操作に Deriver は関わっていません。',
  failed: 'この操作は最後まで進みませんでした。',
  knowledge: '誰が何を見たか',
  saw: '見えたもの',
  hidden: '見えなかったもの',
  roles: {
    share: {
      client: {
        saw: '自分のルートと、鍵の新しいシェア。',
        hidden: '鍵とそのシード、SigningWorker のシェア、A と B のルート。',
      },
      router: {
        saw: '誰がいつ何を求めたか、公開鍵、両 Deriver が署名した受領証。',
        hidden: 'すべての秘密。ルート、シェア、パッケージは封をされたまま通過します。',
      },
      'deriver-a': {
        saw: '端末の入力の一方(それだけでは雑音)、自分のルート、自分が生成した回路、自分の出力シェア。',
        hidden: 'もう一方の入力、B のルート、B が選んだラベル、シード、鍵。',
      },
      'deriver-b': {
        saw: '入力のもう一方(これも単独では雑音)、自分のルート、各配線のラベル一つずつ、自分の出力シェア。',
        hidden: 'ラベルの意味、A の入力とルート、シード、鍵。',
      },
      'signing-worker': {
        saw: '自分宛てに封をされた二つのパッケージ(合わせて自分の新しいシェアになる)、受領証。',
        hidden: 'この端末のシェア、シード、鍵。',
      },
    },
    export: {
      client: {
        saw: 'シード。この端末宛てに封をされた二つの半分をここで合わせ、アドレスと照合しました。',
        hidden: 'A と B のルート。',
      },
      router: { saw: '書き出しが要求され承認されたこと、受領証。', hidden: 'シード。両方の半分は封をされたまま通過します。' },
      'deriver-a': { saw: '新しいマスクをかけたシードの半分(単独では雑音)。', hidden: 'B の半分、したがってシード。' },
      'deriver-b': { saw: '新しいマスクをかけたシードの半分(単独では雑音)。', hidden: 'A の半分、したがってシード。' },
      'signing-worker': { saw: '何も。呼び出されません。', hidden: '書き出しのすべて。' },
    },
    sign: {
      client: { saw: 'メッセージ、自分のシェア、完成した署名。', hidden: 'SigningWorker のシェア。' },
      router: { saw: 'メッセージ、公開されたコミットメント、署名シェア。', hidden: '鍵のシェアのすべて。' },
      'deriver-a': { saw: '何も。呼び出されません。', hidden: 'メッセージと署名。' },
      'deriver-b': { saw: '何も。呼び出されません。', hidden: 'メッセージと署名。' },
      'signing-worker': { saw: 'メッセージ、自分のシェア、この端末の署名シェア。', hidden: 'この端末が持つ鍵のシェア。' },
    },
  },
};
