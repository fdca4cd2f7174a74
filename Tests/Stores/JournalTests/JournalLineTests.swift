import Testing

@testable import Journal

@Suite("Lines of a journal")
struct JournalLineTests {
    @Test("A line is its checksum in eight digits, a space and the payload")
    func form() {
        // The check value of CRC-32/ISO-HDLC, the checksum of gzip.
        let line = JournalLine.written(Array("123456789".utf8))
        #expect(String(decoding: line, as: UTF8.self) == "cbf43926 123456789\n")
    }

    @Test("A written line is read back; with any bit turned it is not")
    func damage() {
        let payload = Array(#"{"a":1}"#.utf8)
        let line = Array(JournalLine.written(payload).dropLast())
        #expect(JournalLine.reading(line[...]) == payload)
        for position in line.indices {
            for bit in 0..<8 {
                var damaged = line
                damaged[position] ^= 1 << UInt8(bit)
                let read = JournalLine.reading(damaged[...])
                // Hex digits may change their case: the value stays.
                #expect(read == nil || read == payload)
            }
        }
    }

    @Test(
        "No text is too short to be refused",
        arguments: ["", "0", "00000000", "00000000 ", " ", "zzzzzzzz x"])
    func short(_ text: String) {
        #expect(JournalLine.reading(Array(text.utf8)[...]) == nil)
    }

    @Test("A record of done lines is read back behind one that was cut")
    func doneRecord() {
        let cut = DoneRecord.written([7, 8]).dropLast(1)
        #expect(DoneRecord.reading(cut + DoneRecord.written([1, 22])) == [1, 22, 7, 8])
        #expect(DoneRecord.reading(cut.dropLast(1) + DoneRecord.written([1, 22])) == [1, 22])
        #expect(DoneRecord.reading([]).isEmpty)
    }
}
