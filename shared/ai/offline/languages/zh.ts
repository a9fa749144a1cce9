import type { LanguageTable } from '../table.ts';

export const zh: LanguageTable = {
  stopwords:
    '的 了 和 是 在 我 我们 你 你们 他 她 它 这 那 这个 那个 这些 那些 就 都 也 还 很 非常 与 或 及 等 对 为 从 到 被 把 让 给 上 下 里 有 没有 不 会 能 可以 一个 新的',
  endings: '日常 生活 时光 爱好者 分享 灵感 推荐 攻略 日记 故事 世界 小技巧',
  hashtags:
    '灵感 生活方式 日常 分享 推荐 每日一拍 热门 发现 创意 今日份快乐 目标 新品 学习 成长 幸福 瞬间 小贴士 记录生活 好物 正能量',
  middles: [
    '{topic}的魅力，远不止表面所见。',
    '小小的细节，成就大大的不同。',
    '来看看吧，找到最适合你的那一款。',
    '值得为它停留片刻。',
  ],
  tones: {
    casual: {
      openings: ['来聊聊{topic}吧。', '今天的主题：{topic}。'],
      closings: ['你怎么看？', '评论区告诉我们。'],
    },
    professional: {
      openings: ['{topic}：当下的关键所在。', '带您深入了解{topic}。'],
      closings: ['期待您的见解。', '欢迎联系我们了解更多。'],
    },
    funny: {
      openings: ['{topic}：毕竟生活已经够严肃了。', '虽然没人问，但是{topic}来了。'],
      closings: ['快告诉一个需要它的朋友。', '谁先笑谁就输了。'],
    },
    inspirational: {
      openings: ['伟大的事都从小处开始：{topic}。', '让{topic}成为你的下一步。'],
      closings: ['从今天开始。', '你一定可以。'],
    },
    genz: {
      openings: ['家人们谁懂啊，{topic}绝了。', '{topic}，真的很哇塞。'],
      closings: ['评论区聊起来。', '快转给你的姐妹兄弟。'],
    },
    formal: {
      openings: ['我们荣幸地向您介绍{topic}。', '谨此向您介绍{topic}。'],
      closings: ['感谢您的关注。', '如有任何疑问，敬请垂询。'],
    },
    friendly: {
      openings: ['朋友们好，今天我们来说说{topic}！', '有个好消息要分享：{topic}！'],
      closings: ['期待听到你的声音！', '我们很快再见！'],
    },
    poetic: {
      openings: ['如晨光般轻柔，{topic}。', '在两次心跳之间，{topic}。'],
      closings: ['停一停，静静聆听。', '于是这一天开始发光。'],
    },
  },
};
