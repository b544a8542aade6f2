// SPDX-License-Identifier: Apache-2.0
import java.lang.management.ManagementFactory;
import java.lang.ref.*;
import java.util.*;
import javax.management.*;

/** Objects whose layout differs between JVMs: java Shapes DUMP HISTOGRAM, which is what the JVM itself counts. */
public class Shapes {
    static class One { byte a; }
    static class Two extends One { Object o; byte b; }
    static class Three extends Two { long l; Object p; int i; }
    static class Mixed { long l; int i; short s; byte b; boolean z; char c; double d; float f; Object o; }
    static class More extends Mixed { int j; Object q; byte t; }
    static class Single { Object o; }
    static class Pair { Object o, p; }
    static class Longer extends Single { int i; Object p; }
    static class Finalized { byte[] held = new byte[1000]; protected void finalize() {} }
    static class Soft extends SoftReference<Object> {
        byte[] own = new byte[300];
        Soft(Object referent) { super(referent); }
    }

    static final List<Object> KEPT = new ArrayList<>();
    static final Map<Object, byte[]> WEAK = new WeakHashMap<>();
    static final Map<String, Object> NAMED = new LinkedHashMap<>();

    public static void main(String[] arguments) throws Exception {
        Random random = new Random(11);
        for (int i = 0; i < 200; i++) {
            Two two = new Two();
            two.o = new int[i];
            Three three = new Three();
            three.p = new Object[i];
            three.o = new boolean[i];
            KEPT.addAll(Arrays.asList(new One(), new Two(), new Three(), two, three, new Mixed(), new More()));
            KEPT.addAll(Arrays.asList(new Single(), new Pair(), new Longer(), new Soft(new byte[200 + i])));
            KEPT.add(new WeakReference<>(KEPT.get(random.nextInt(KEPT.size()))));
            WEAK.put(KEPT.get(i), new byte[50]);
            NAMED.put("key " + i, new short[i]);
            NAMED.put("clé " + i, new double[i % 7]);
            NAMED.put("all " + i, new Object[]{new char[i], new float[i], new long[i]});
            if (i % 4 == 0) KEPT.add(new Finalized());
        }
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ManagementFactory.newPlatformMXBeanProxy(server, "com.sun.management:type=HotSpotDiagnostic",
            com.sun.management.HotSpotDiagnosticMXBean.class).dumpHeap(arguments[0], true);
        Object text = server.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
            new Object[]{new String[0]}, new String[]{String[].class.getName()});
        try (java.io.Writer out = new java.io.FileWriter(arguments[1])) { out.write(text.toString()); }
    }
}
