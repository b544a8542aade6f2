/* SPDX-License-Identifier: Apache-2.0 */
/* What samples/cpu/shelf.nettrace.zst recorded: a thread that computes, one that fills a list, a lock, an exception. */
using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;

public class Shelf
{
    static readonly List<string> kept = new List<string>();
    static readonly object door = new object();

    static double Weigh(int book)
    {
        double sum = 0;
        for (int page = 1; page < 40; page++)
            sum += 1.0 / (page + (book & 7));
        return sum;
    }

    static double Sort(int books)
    {
        double x = 1;
        for (int i = 0; i < books; i++)
            x = Math.Sqrt(x + Weigh(i));
        return x;
    }

    static void Fill(int books)
    {
        for (int i = 0; i < books; i++)
            kept.Add(new StringBuilder().Append("book ").Append(i).ToString());
    }

    static int Climb(int steps)
    {
        return steps == 0 ? (int)Sort(150000) : Climb(steps - 1) + 1;
    }

    static void Read()
    {
        for (int i = 0; i < 4; i++)
            Climb(5);
        lock (door)
            Fill(1000);
    }

    static void Borrow(string name)
    {
        throw new ArgumentException(name);
    }

    public static void Main()
    {
        var reader = new Thread(Read);
        lock (door)
        {
            reader.Start();
            for (int i = 0; i < 6; i++)
            {
                Sort(100000);
                Fill(20000);
            }
            Thread.Sleep(200);
        }
        reader.Join();
        for (int i = 0; i < 3; i++)
        {
            try { Borrow("lost"); }
            catch (ArgumentException) { }
        }
        Console.WriteLine(kept.Count);
    }
}
