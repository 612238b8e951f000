/// For people: whole numbers above 10, two decimals below.
func rounded(_ value: Double) -> String {
    value >= 10 ? "\(Int(value.rounded()))" : "\((value * 100).rounded() / 100)"
}
