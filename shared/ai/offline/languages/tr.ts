import type { LanguageTable } from '../table.ts';

export const tr: LanguageTable = {
  stopwords:
    'acaba ama ancak artık asla az bana bazı belki ben beni benim bile bir biraz biri birkaç biz bize bizim bu buna bunu burada çok çünkü da daha de defa değil diye en fakat gibi göre hatta hem hep her hiç için ile ise kadar kez ki kim mı mi mu mü nasıl ne neden nerede o olan olarak oldu olur on ona onu onun orada oysa pek sanki sen seni siz şey şu tüm var ve veya ya yani yeni yok zaten nereden biliyor biliyorum biliyoruz musunuz misiniz mısınız evet hayır açılıyor kapalı kapalıyız görüşürüz geldiğini başlıyor bütün hangi seversiniz arıyoruz sizin sizi bizi onlar kaçırmayın kaçırma gelin sever misin',
  endings: 'aşkı keyfi zamanı günlüğü severler fikirleri tutkusu dünyası hikayesi önerileri anları hayatı',
  hashtags:
    'keşfet ilham motivasyon yaşam günlük öneri türkiye gündem yeni fikir paylaş mutluluk bugün topluluk tavsiye hedef keyif yaratıcı girişim anlar',
  answers: {
    informal: ['Yorumlarda bize anlatın!', 'Cevaplarınızı merak ediyoruz.'],
    formal: ['Yanıtlarınızı bekliyoruz.', 'Görüşünüzü bizimle paylaşabilirsiniz.'],
  },
  links: { informal: 'Bir göz atın:', formal: 'Ayrıntılar için:' },
  tones: {
    casual: {
      lines: ['Bunu sizinle paylaşmak istedik.', 'Bizden size küçük bir not.', 'Haberiniz olsun istedik.'],
      closings: ['Siz ne düşünüyorsunuz?', 'Yorumlarda buluşalım.', 'Sizce?'],
    },
    professional: {
      lines: [
        'Ekibimizden son haber.',
        'Bunu sizinle paylaşmaktan mutluluk duyuyoruz.',
        'Ekibimizden kısa bir haber.',
      ],
      closings: [
        'Görüşlerinizi bekliyoruz.',
        'Daha fazla bilgi için bize ulaşın.',
        'Sorularınız için bize yazabilirsiniz.',
      ],
    },
    funny: {
      lines: [
        'Hayır, uydurmuyoruz.',
        'Evet, bu ayrı bir paylaşımı hak etti.',
        'Kendimize saklamaya çalıştık, olmadı.',
      ],
      closings: ['Bunu görmesi gereken birini etiketleyin.', 'Gülmek serbest.', 'Biz yavaş yavaş kaçalım.'],
    },
    inspirational: {
      lines: [
        'Her büyük şey küçük bir adımla başlar.',
        'Her gün yeni bir başlangıçtır.',
        'Küçük adımlar uzağa götürür.',
      ],
      closings: ['İlk adımı bugün at.', 'Başarabilirsin.', 'Senin bir sonraki adımın ne?'],
    },
    genz: {
      lines: ['Bunu şuraya bırakalım.', 'Akışına düşmesi şarttı.', 'Bilen bilir.'],
      closings: ['Yorumunu bırak.', 'Kankana da gönder.', 'Sence?'],
    },
    formal: {
      lines: [
        'Bunu sizlerle paylaşmaktan memnuniyet duyuyoruz.',
        'Bu hususu dikkatinize sunarız.',
        'Sizleri bu konuda bilgilendirmek isteriz.',
      ],
      closings: [
        'İlginiz için teşekkür ederiz.',
        'Sorularınız için her zaman hizmetinizdeyiz.',
        'Bizimle iletişime geçmekten lütfen çekinmeyin.',
      ],
    },
    friendly: {
      lines: ['Bunu bizden duyun istedik.', 'Bu sizin için.', 'Aklımıza hemen siz geldiniz.'],
      closings: ['Sizden haber almak isteriz!', 'Görüşmek üzere!', 'Ne düşündüğünüzü bize yazın!'],
    },
    poetic: {
      lines: [
        'Bazı anlar insanı yavaşlamaya çağırır.',
        'Sabah ışığı gibi, usulca.',
        'Güzel olan çoğu zaman alçak sesle konuşur.',
      ],
      closings: ['Biraz dur ve dinle.', 'Derin bir nefes al.', 'Bırak, an biraz daha sürsün.'],
    },
  },
};
