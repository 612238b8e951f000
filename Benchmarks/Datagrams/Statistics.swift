/// The middle value; of an even number, the upper of the two middle ones.
func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// For people: whole numbers above 10, two decimals below.
func rounded(_ value: Double) -> String {
    value >= 10 ? "\(Int(value.rounded()))" : "\((value * 100).rounded() / 100)"
}
