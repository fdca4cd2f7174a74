/// Languages in the forms of ISO 639: two letters, three letters, and three letters for libraries.
enum LanguageCodes {
    /// The first part of a language tag (BCP 47) in its shortest form.
    static func primary(_ tag: String) -> String {
        let first = tag.lowercased().prefix { $0 != "-" && $0 != "_" }
        return short[String(first)] ?? String(first)
    }

    /// The code of three letters, as MP4 files have it; nil for a language that is not known.
    static func threeLetters(_ tag: String) -> String? {
        let first = primary(tag)
        if let index = stride(from: 0, to: pairs.count - 1, by: 2).first(where: { pairs[$0] == first }) {
            return pairs[index + 1]
        }
        return first.utf8.count == 3 ? first : nil
    }

    /// Two-letter codes with their three-letter ones.
    private static let pairs = """
        aa aar ab abk af afr ak aka am amh ar ara as asm ay aym az aze ba bak be bel bg bul bm bam bn ben \
        bo bod bo tib br bre bs bos ca cat ce che co cos cs ces cs cze cy cym cy wel da dan de deu de ger \
        dz dzo ee ewe el ell el gre en eng eo epo es spa et est eu eus eu baq fa fas fa per ff ful fi fin \
        fj fij fo fao fr fra fr fre fy fry ga gle gd gla gl glg gn grn gu guj ha hau he heb hi hin hr hrv \
        ht hat hu hun hy hye hy arm ia ina id ind ig ibo is isl is ice it ita iu iku ja jpn jv jav ka kat \
        ka geo kk kaz kl kal km khm kn kan ko kor ku kur ky kir la lat lb ltz lg lug ln lin lo lao lt lit \
        lu lub lv lav mg mlg mi mri mi mao mk mkd mk mac ml mal mn mon mr mar ms msa ms may mt mlt my mya \
        my bur nb nob ne nep nl nld nl dut nn nno no nor ny nya oc oci om orm or ori pa pan pl pol ps pus \
        pt por qu que rm roh rn run ro ron ro rum ru rus rw kin sa san sc srd sd snd se sme sg sag si sin \
        sk slk sk slo sl slv sm smo sn sna so som sq sqi sq alb sr srp ss ssw st sot su sun sv swe sw swa \
        ta tam te tel tg tgk th tha ti tir tk tuk tl tgl tn tsn to ton tr tur ts tso tt tat ug uig uk ukr \
        ur urd uz uzb ve ven vi vie wo wol xh xho yi yid yo yor zh zho zh chi zu zul
        """.split(separator: " ").map(String.init)

    private static let short = Dictionary(
        stride(from: 0, to: pairs.count - 1, by: 2).map { (pairs[$0 + 1], pairs[$0]) },
        uniquingKeysWith: { first, _ in first })
}
