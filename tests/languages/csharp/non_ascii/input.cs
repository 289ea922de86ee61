using Größe.Maß;

/* „Ellen“ ☕ */ namespace Läden
{
    /// <summary>Länge in „Ellen“ — ☕ <see cref="Maß"/>.</summary>
    public class Länge : Größe
    {
        string gruß = "☕☕"; public int Fläche(string 幅 = "☕", int höhe = 1) { return höhe; }
    }
}
